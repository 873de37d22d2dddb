import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { acceptedValues } from './accept-header.ts';

/** Smaller answers fit into one packet uncompressed. */
const minBytes = 1_000;

const compressors = {
  /** At this quality it takes less time than gzip, and its result is smaller. */
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  /** A tenth longer than at the default level, in half the time. */
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 4 }),
};

type ContentCoding = keyof typeof compressors;

/** A body that is known whole. */
export interface Body {
  body: string | Buffer;
  bytes: number;
  /** Its compressed forms, each made once when somebody first accepts it. */
  compressed?: Partial<Record<ContentCoding, Promise<Buffer>>>;
}

/** The coding that an `Accept-Encoding` header prefers; undefined: none of ours. */
export function acceptedCoding(header: string | undefined): ContentCoding | undefined {
  const weights = new Map(acceptedValues(header?.toLowerCase()));
  const [br, gzipped] = [weights.get('br') ?? 0, weights.get('gzip') ?? 0];
  if (br > 0 && br >= gzipped) return 'br';
  return gzipped > 0 ? 'gzip' : undefined;
}

/** Texts, but no event stream: its events would be held back. */
const text = /^(text\/(?!event-stream)|application\/([\w.+-]+\+)?json\b|application\/javascript\b)/;

/** Whether a body of this type and length is worth it. */
export const isCompressible = (type: string, bytes: number): boolean => bytes >= minBytes && text.test(type);

const secret = Symbol('secret');
type Marked = IncomingMessage & { [secret]?: true };

/**
 * Says that the answer to a request holds a secret. Such an answer is never compressed: from the lengths of
 * compressed answers a secret can be guessed by whoever can add text of his own to them (BREACH).
 */
export function markSecret(req: Marked): void {
  req[secret] = true;
}

export const isSecret = (req: Marked): boolean => req[secret] === true;

/** What all bodies that are being compressed may have together; more is sent uncompressed at once. */
const maxPendingBytes = 64_000_000;

let pendingBytes = 0;

/** Sends a whole answer, compressed off the event loop if that is worth it. `headers` are names and values in turns. */
export function send(
  res: ServerResponse,
  status: number,
  type: string,
  whole: Body,
  headers: readonly string[] = [],
): void {
  const write = (body: string | Buffer, bytes: number, more: readonly string[] = headers) => {
    // A caller that left gets none, and one whose body came too late has its answer.
    if (res.destroyed || res.headersSent) return;
    res.writeHead(status, ['content-type', type, 'content-length', String(bytes), ...more]).end(body);
  };
  const { body, bytes } = whole;
  if (!isCompressible(type, bytes)) return void write(body, bytes);
  const varied = headers.some((one) => one.includes('accept-encoding'))
    ? headers
    : [...headers, 'vary', 'accept-encoding'];
  const { req } = res;
  const isAllowed = req.method !== 'HEAD' && !isSecret(req) && pendingBytes + bytes <= maxPendingBytes;
  const coding = isAllowed ? acceptedCoding(req.headers['accept-encoding']) : undefined;
  if (!coding) return void write(body, bytes, varied);
  compressed(whole, coding).then(
    (small) => write(small, small.length, [...varied, 'content-encoding', coding]),
    // It is as good uncompressed.
    () => write(body, bytes, varied),
  );
}

/** Sends a text as `send` does. */
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

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendText(res, status, jsonType, JSON.stringify(body));
}

function compressed(whole: Body, coding: ContentCoding): Promise<Buffer> {
  const { body, bytes } = whole;
  whole.compressed ??= {};
  const known = whole.compressed[coding];
  if (known) return known;
  pendingBytes += bytes;
  const made = compressors[coding](typeof body === 'string' ? Buffer.from(body) : body).finally(() => {
    pendingBytes -= bytes;
  });
  whole.compressed[coding] = made;
  return made;
}
