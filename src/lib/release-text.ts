import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendText } from './send.ts';

/** Whether an `If-None-Match` header has this tag. A proxy that compresses an answer may have marked it as weak. */
export const matchesEtag = (given: string | undefined, etag: string): boolean =>
  given?.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false;

/** Answers with a text that describes the interface, for generators of code. */
export function releaseText(type: string, text: string) {
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  // It changes with a release only, and is then to be seen at once.
  const headers = ['etag', etag, 'cache-control', 'public, no-cache'];
  return ({ headers: { 'if-none-match': given } }: IncomingMessage, res: ServerResponse): void => {
    if (matchesEtag(given, etag)) res.writeHead(304, headers).end();
    else sendText(res, 200, type, text, headers);
  };
}
