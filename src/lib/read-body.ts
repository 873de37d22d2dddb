import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** Whether a body is compressed (RFC 9110, Content-Encoding). The gateway decompresses none. */
export const isCompressed = (coding: string | null | undefined): boolean =>
  !/^(identity)?$/i.test(coding ?? '');
export const sendUncompressed = 'Send the body uncompressed, without Content-Encoding.';

/**
 * Reads the whole body, for routes with small bodies.
 * @throws HttpError 413 before more than `maxBytes` are in memory, and 415 for a compressed one.
 */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (isCompressed(req.headers['content-encoding'])) throw new HttpError(415, sendUncompressed);
  const tooLong = () => new HttpError(413, `The body must not be longer than ${maxBytes} bytes.`);
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLong();
  const pieces: Buffer[] = [];
  let size = 0;
  // Without `destroyOnReturn: false`, leaving the loop would close the connection before the error is sent.
  for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export const encodeInUtf8 = 'The body is not UTF-8. Encode it as UTF-8 and send it again.';

/**
 * The text of a body. Node would replace invalid UTF-8 by U+FFFD, which would then be issued.
 * @throws HttpError 400 for another encoding.
 */
export function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new HttpError(400, encodeInUtf8);
  return body.toString();
}
