import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';

/** The position before the first event of every log. */
export const beginning = '0';

/** A place in one issuer's log, opaque to clients. It names the issuer, so it fits no other's log. */
export function encodeCursor(issuer: Address, position: string): string {
  return Buffer.from(`${issuer.slice(2, 10).toLowerCase()}:${position}`).toString('base64url');
}

/** @throws GatewayError when the text was not given out by `encodeCursor` for this issuer. */
export function decodeCursor(issuer: Address, cursor: string): string {
  const [, prefix, position] =
    /^([0-9a-f]{8}):(0|[1-9]\d{0,17})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (position !== undefined && prefix === issuer.slice(2, 10).toLowerCase()) return position;
  throw foreignCursor();
}

/** Of two positions, which are decimal text; each subscriber asks it of each event. */
export const isBeyond = (position: string, other: string): boolean =>
  position.length === other.length ? position > other : position.length > other.length;

export const foreignCursor = () =>
  new GatewayError({
    code: 'INVALID_INPUT',
    message: 'This cursor is not one of this issuer’s events. Use the cursor of an event, or none to start.',
    path: ['after'],
  });
