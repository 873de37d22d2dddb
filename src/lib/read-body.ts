import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/**
 * The whole body, for routes that take small bodies only.
 * @throws HttpError 413 before more than `maxBytes` are in memory.
 */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLong = () => new HttpError(413, `The body must not be longer than ${maxBytes} bytes.`);
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLong();
  const pieces: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not close the connection: the refusal has yet to be sent on it.
  for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
