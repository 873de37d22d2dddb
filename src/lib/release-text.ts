import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './send.ts';

/** The ETag of a text. Weak, because its compressed forms have the same tag but other bytes (RFC 9110). */
export const etagOf = (text: string): string =>
  `W/"${createHash('sha256').update(text).digest('base64url')}"`;

/** Whether an `If-None-Match` header has this tag. */
export const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => ['*', etag, etag.slice('W/'.length)].includes(one.trim())) ?? false;

/** Answers with a text that describes the interface, for generators of code. */
export function releaseText(type: string, text: string) {
  const etag = etagOf(text);
  // It changes only with a release, and caches must then revalidate.
  const headers = ['etag', etag, 'cache-control', 'public, no-cache'];
  return ({ headers: { 'if-none-match': header } }: IncomingMessage, res: ServerResponse): void => {
    if (matchesEtag(header, etag)) res.writeHead(304, headers).end();
    else sendText(res, 200, type, text, headers);
  };
}
