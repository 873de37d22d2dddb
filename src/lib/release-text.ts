import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './send.ts';

/** The ETag of a text. It is weak because the compressed forms have the same tag, but other bytes (RFC 9110). */
export const etagOf = (text: string): string => `W/"${hash('sha256', text, 'base64url')}"`;

/** Whether an `If-None-Match` header has this tag. */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((one) => ['*', etag, etag.slice('W/'.length)].includes(one.trim())) ?? false;

/** Makes a handler that sends a text that describes the interface, for code generators. */
export function releaseText(type: string, text: string) {
  const etag = etagOf(text);
  // The text changes only with a release, and clients should then see the new one at once.
  const headers = ['etag', etag, 'cache-control', 'public, no-cache'];
  return ({ headers: { 'if-none-match': ifNoneMatch } }: IncomingMessage, res: ServerResponse): void => {
    if (matchesEtag(ifNoneMatch, etag)) res.writeHead(304, headers).end();
    else sendText(res, 200, type, text, headers);
  };
}
