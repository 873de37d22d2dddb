import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** Whether a body is compressed (RFC 9110, Content-Encoding). The gateway does not decompress bodies. */
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
  const chunks: Buffer[] = [];
  let size = 0;
  // Without `destroyOnReturn: false`, leaving the loop would close the connection before the error is sent.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const encodeInUtf8 = 'The body is not UTF-8. Encode it in UTF-8, and send it again.';

/**
 * The text of a body. Node would replace bytes that are not UTF-8 by U+FFFD, which would then be issued as if the
 * caller had sent it.
 * @throws HttpError 400 for another encoding.
 */
export function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new HttpError(400, encodeInUtf8);
  return body.toString();
}
