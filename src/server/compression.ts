import type { ServerResponse } from 'node:http';
import { acceptedCoding, type ContentCoding, compress, isCompressible } from '../lib/content-coding.ts';
import { isSecret } from '../lib/secret-answers.ts';
import { beforeHeaders } from './respond.ts';
import type { Hook } from './router.ts';

/** What all answers that are being compressed may have together; more is sent uncompressed at once. */
const maxPendingBytes = 64_000_000;

let pendingBytes = 0;

/**
 * Compresses whole answers of a kilobyte or more, off the event loop. A stream through zlib would hide what
 * its reader leaves unread from the limit on it, and an answer without a length is not known to be whole, so
 * such answers go out as they are.
 */
export const compression: Hook = (req, res) => {
  beforeHeaders(res, () => {
    const bytes = Number(res.getHeader('content-length') ?? 0);
    if (!isCompressible(String(res.getHeader('content-type')), bytes)) return true;
    if (res.hasHeader('content-encoding')) return true;
    const vary = [res.getHeader('vary') ?? []].flat().join(', ');
    if (!vary.includes('accept-encoding'))
      res.setHeader('vary', vary === '' ? 'accept-encoding' : `${vary}, accept-encoding`);
    if (isSecret(req)) {
      // Proxies must not compress it either.
      res.setHeader('cache-control', 'private, no-store, no-transform');
      return true;
    }
    const coding = acceptedCoding(req.headers['accept-encoding']);
    if (!coding || req.method === 'HEAD' || pendingBytes + bytes > maxPendingBytes) return true;
    sendCompressed(res, coding, bytes);
    return false;
  });
};

type Write = (chunk?: unknown, encoding?: unknown, callback?: unknown) => unknown;

/** Takes the body as it is written, and sends headers and compressed body once it is whole. */
function sendCompressed(res: ServerResponse, coding: ContentCoding, bytes: number): void {
  const { write, end } = res;
  const chunks: Buffer[] = [];
  const take = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const takeWrite: Write = (chunk) => {
    take(chunk);
    return true;
  };
  const takeEnd: Write = (chunk) => {
    take(chunk);
    Object.assign(res, { write, end });
    const whole = Buffer.concat(chunks);
    pendingBytes += bytes;
    compress(coding, whole)
      .then(
        (body) => ({ body, encoding: { 'content-encoding': coding } }),
        // It is as good uncompressed.
        () => ({ body: whole, encoding: {} }),
      )
      .then(({ body, encoding }) => {
        pendingBytes -= bytes;
        // An answer that came too late was replaced, and a caller that left gets none.
        if (res.destroyed || res.headersSent) return;
        res.writeHead(res.statusCode, { ...encoding, 'content-length': body.length }).end(body);
      });
    return res;
  };
  Object.assign(res, { write: takeWrite, end: takeEnd });
}
