import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedValues } from './accept-header.ts';
import { challenge } from './http-error.ts';

/** Smaller answers fit into one packet anyway. */
const minBytes = 1_000;

const compressors = {
  /** At quality 1 Brotli is faster than gzip, and its result smaller. */
  br: (body: Buffer, isLasting = false) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: isLasting ? 5 : 1 } }),
  /** At level 4 the result is a tenth longer than at the default one, 6, and takes half the time. */
  gzip: (body: Buffer, isLasting = false) => promisify(gzip)(body, { level: isLasting ? 6 : 4 }),
};

type ContentCoding = keyof typeof compressors;

/** A complete body. */
export interface Body {
  body: string | Buffer;
  bytes: number;
  /** Whether it is sent as long as the process lives. Then compressing it may take half a second. */
  isLasting?: true;
  /** Its compressed forms. Each is made when a request first accepts it. */
  compressed?: Partial<Record<ContentCoding, Promise<Buffer>>>;
}

/** The supported coding that an `Accept-Encoding` header prefers; undefined if there is none. */
export function acceptedCoding(header: string | undefined): ContentCoding | undefined {
  const weights = new Map(acceptedValues(header?.toLowerCase()));
  const [br, gzipped] = [weights.get('br') ?? 0, weights.get('gzip') ?? 0];
  if (br > 0 && br >= gzipped) return 'br';
  return gzipped > 0 ? 'gzip' : undefined;
}

/** Media types of text, except event streams: a compressor would delay their events. */
const text = /^(text\/(?!event-stream)|application\/([\w.+-]+\+)?json\b|application\/javascript\b)/;

/** Whether compressing a body of this type and length is worth it. */
export const isCompressible = (type: string, bytes: number): boolean => bytes >= minBytes && text.test(type);

const secret = Symbol('secret');
type MarkedRequest = IncomingMessage & { [secret]?: true };

/**
 * Marks the answer to a request as secret, so that it is not compressed. An attacker who can add text to compressed
 * answers could guess a secret from their lengths (BREACH).
 */
export function markSecret(req: MarkedRequest): void {
  req[secret] = true;
}

export const isSecret = (req: MarkedRequest): boolean => req[secret] === true;

/** Bytes of all bodies that are being compressed. Beyond this limit bodies are sent uncompressed. */
const maxPendingBytes = 64_000_000;

let pendingBytes = 0;

/**
 * Sends a complete answer, compressed in a worker thread if that is worth it. `headers` alternates names and
 * values.
 */
export function send(
  res: ServerResponse,
  status: number,
  type: string,
  whole: Body,
  headers: readonly string[] = [],
): void {
  const write = (body: string | Buffer, bytes: number, more: readonly string[] = headers) => {
    // The caller has left, or has had an error for a body that came too slowly.
    if (res.destroyed || res.headersSent) return;
    res.writeHead(status, ['content-type', type, 'content-length', String(bytes), ...more]).end(body);
  };
  const { body, bytes } = whole;
  if (!isCompressible(type, bytes)) return void write(body, bytes);
  const withVary = headers.some((one) => one.includes('accept-encoding'))
    ? headers
    : [...headers, 'vary', 'accept-encoding'];
  const { req } = res;
  const isAllowed = req.method !== 'HEAD' && !isSecret(req) && pendingBytes + bytes <= maxPendingBytes;
  const coding = isAllowed ? acceptedCoding(req.headers['accept-encoding']) : undefined;
  if (!coding) return void write(body, bytes, withVary);
  compressed(whole, coding).then(
    (small) => write(small, small.length, [...withVary, 'content-encoding', coding]),
    // If compressing fails, send it uncompressed.
    () => write(body, bytes, withVary),
  );
}

export function sendText(
  res: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: readonly string[] = [],
): void {
  send(res, status, type, { body, bytes: Buffer.byteLength(body) }, headers);
}

export const jsonType = 'application/json; charset=utf-8';

/** Sends JSON that holds only now, such as the answer to a probe. Without Cache-Control a cache might keep it. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const authHeaders = status === 401 ? Object.entries(challenge).flat() : [];
  sendText(res, status, jsonType, JSON.stringify(body), [
    'cache-control',
    'private, no-store',
    ...authHeaders,
  ]);
}

/** Compresses a body, once for all callers that accept the coding. */
export function compressed(whole: Body, coding: ContentCoding): Promise<Buffer> {
  const { body, bytes, isLasting } = whole;
  whole.compressed ??= {};
  const known = whole.compressed[coding];
  if (known) return known;
  pendingBytes += bytes;
  const buffer = typeof body === 'string' ? Buffer.from(body) : body;
  const made = compressors[coding](buffer, isLasting).finally(() => {
    pendingBytes -= bytes;
  });
  whole.compressed[coding] = made;
  return made;
}
