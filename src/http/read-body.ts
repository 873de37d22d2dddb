import type { IncomingMessage } from 'node:http';
import { HttpError } from './respond.ts';

/** The whole body, for bodies that must be small. @throws HttpError 413 before more than `maxBytes` are held. */
export async function readBody(req: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLong = () => new HttpError(413, `The body must not be longer than ${maxBytes} bytes.`);
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLong();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of req as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBytes) throw tooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
