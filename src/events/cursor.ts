import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';

/** The position before the first event of every log. */
export const beginning = '0';

/**
 * Encodes a position in one issuer's log as an opaque cursor. It contains part of the issuer's address, so
 * that another issuer's log refuses it.
 */
export function encodeCursor(issuer: Address, position: string): string {
  return Buffer.from(`${issuer.slice(2, 10).toLowerCase()}:${position}`).toString('base64url');
}

/**
 * Decodes a cursor to its position. @throws GatewayError when `encodeCursor` did not make it for this issuer.
 */
export function decodeCursor(issuer: Address, cursor: string): string {
  const [, prefix, position] =
    /^([0-9a-f]{8}):(0|[1-9]\d{0,17})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (position !== undefined && prefix === issuer.slice(2, 10).toLowerCase()) return position;
  throw cursorOfOtherLog();
}

/**
 * Whether a position is after another. Compares the decimal text, because a BigInt for each event and subscriber
 * would be slow.
 */
export const isBeyond = (position: string, other: string): boolean =>
  position.length === other.length ? position > other : position.length > other.length;

/** The error for a cursor that does not belong to the issuer's log. */
export const cursorOfOtherLog = () =>
  new GatewayError({
    code: 'INVALID_INPUT',
    message:
      'The cursor does not belong to this issuer’s event log. Give the cursor of an event, or leave it out.',
    path: ['after'],
  });
