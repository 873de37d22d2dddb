import { Readable, Transform } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { GatewayError } from '../../model/errors.ts';
import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import { fromHttpFailure, fromStatus } from '../failure.ts';
import { createHttpClient, flatten, type HttpClient, httpFailure, Sending } from '../http.ts';
import { readStorageRefusal } from './storage-refusal.ts';

export { type StorageReason, StorageRefusal } from './storage-refusal.ts';

export interface PutObject {
  /** Signed for writing; a secret. */
  url: string;
  /** The one that came with the URL. */
  contentType: string;
  /** Read as fast as storage takes it; destroyed when the upload fails. Bytes are not copied. */
  body: Readable | Uint8Array;
  /** Bytes, when known: storage refuses a body of another length. Some stores insist on it. */
  size?: number;
  signal?: AbortSignal;
}

export interface GetObject {
  /** Signed for reading, or a public address. */
  url: string;
  /** A signature covers it, when the URL is signed. */
  contentType?: string;
  /** As in the HTTP header: `bytes=0-99`. */
  range?: string;
  signal?: AbortSignal;
}

export interface StoredObject {
  /** 200, or 206 for a range. */
  status: number;
  headers: Record<string, string>;
  /** Must be read to its end or destroyed. */
  body: Readable;
}

/**
 * Where the bytes of files are. Throws StorageRefusal, UpstreamError when no usable answer came, or the
 * error of the stream that the bytes came from.
 */
export interface Storage {
  putObject(object: PutObject): Promise<void>;
  getObject(object: GetObject): Promise<StoredObject>;
  close(): Promise<void>;
}

// Uploads are few and long; each has a connection of its own while it runs.
const connections = 64;
// A peer that takes or gives no byte for so long has gone, however slow its line is.
const stallMs = 60_000;
// Enough for the error document of any store.
const maxErrorBytes = 16 * 1024;
// What one write hands over, so that a large array is sent piece by piece and its progress shows.
const pieceBytes = 256 * 1024;

export function createStorage(options: { dispatcher?: Dispatcher; stallMs?: number } = {}): Storage {
  const http = createHttpClient({
    connections,
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });
  const patience = options.stallMs ?? stallMs;
  return {
    putObject: (object) => call(object.url, 'PUT', () => putObject(http, object, patience)),
    getObject: (object) => call(object.url, 'GET', () => getObject(http, object, patience)),
    close: () => http.close(),
  };
}

/** Of a signed URL, only its host may be shown. */
function call<T>(url: string, method: 'GET' | 'PUT', run: () => Promise<T>): Promise<T> {
  const span = callSpan({ upstream: 'STORAGE', host: URL.parse(url)?.host ?? '' });
  return withSpan({ ...span, attributes: { ...span.attributes, 'http.request.method': method } }, run);
}

async function putObject(http: HttpClient, object: PutObject, patience: number): Promise<void> {
  const { url, contentType, body, signal } = object;
  const size = object.size ?? (body instanceof Uint8Array ? body.length : undefined);
  const stalled = new AbortController();
  const watch = setTimeout(() => stalled.abort(new Error('no progress')), patience);
  const sending = new Sending();
  const source = watched(body, () => watch.refresh());
  try {
    const answer = await request(wellFormed(url), {
      dispatcher: http.dispatcher,
      method: 'PUT',
      headers: {
        'content-type': contentType,
        ...(size !== undefined && { 'content-length': String(size) }),
      },
      body: source.stream,
      opaque: sending,
      signal: signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal,
    });
    await settle(answer);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if ((error as { code?: string }).code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
      throw readStorageRefusal(400, 'IncompleteBody');
    const failure = httpFailure(error, sending.begun, { signal, deadline: stalled.signal });
    if (failure.kind === 'ABORTED') throw failure.cause;
    if (source.error !== undefined) throw source.error;
    throw fromHttpFailure('STORAGE', failure);
  } finally {
    clearTimeout(watch);
    source.close();
  }
}

async function getObject(http: HttpClient, object: GetObject, patience: number): Promise<StoredObject> {
  const { url, contentType, range, signal } = object;
  const sending = new Sending();
  try {
    const answer = await request(wellFormed(url), {
      dispatcher: http.dispatcher,
      method: 'GET',
      headers: { ...(contentType && { 'content-type': contentType }), ...(range && { range }) },
      opaque: sending,
      headersTimeout: patience,
      bodyTimeout: patience,
      ...(signal && { signal }),
    });
    if (answer.statusCode !== 200 && answer.statusCode !== 206) await settle(answer);
    return { status: answer.statusCode, headers: flatten(answer.headers), body: answer.body };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const late = (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT';
    const deadline = late ? AbortSignal.abort(error) : undefined;
    const failure = httpFailure(error, sending.begun, { signal, ...(deadline && { deadline }) });
    if (failure.kind === 'ABORTED') throw failure.cause;
    throw fromHttpFailure('STORAGE', failure);
  }
}

/** Lets a good answer go and throws any other. */
async function settle(answer: Dispatcher.ResponseData<unknown>): Promise<void> {
  const { statusCode: status, headers, body } = answer;
  if (status >= 200 && status < 300) return body.dump();
  let text = '';
  for await (const chunk of body) {
    text += String(chunk);
    if (text.length > maxErrorBytes) break;
  }
  if (status >= 400 && status < 500 && status !== 408 && status !== 429)
    throw readStorageRefusal(status, text);
  throw fromStatus('STORAGE', { status, headers: flatten(headers) });
}

interface Source {
  stream: Readable;
  /** Set when the bytes ended by a fault of where they came from, not of storage. */
  error?: unknown;
  close(): void;
}

/**
 * Passes the bytes on when storage is ready for them, and tells of each piece. A transform, because
 * iterating instead keeps a hundred megabytes more of a fast stream in memory.
 */
function watched(body: Readable | Uint8Array, onPiece: () => void): Source {
  const from = body instanceof Uint8Array ? Readable.from(piecesOf(body), { objectMode: false }) : body;
  const stream = new Transform({
    transform(piece, _encoding, done) {
      onPiece();
      done(null, piece);
    },
  });
  const close = () => {
    from.destroy();
    stream.destroy();
  };
  const source: Source = { stream, close };
  const fail = (error: unknown) => {
    source.error ??= error;
    stream.destroy(error as Error);
  };
  from.on('error', fail);
  // Told by the request that reads the stream; before and after it, nobody else needs to know.
  stream.on('error', () => {});
  from.once('close', () => {
    if (!from.readableEnded && !stream.destroyed) fail(new Error('The source of the bytes ended too early.'));
  });
  if (from.destroyed) fail(from.errored ?? new Error('The source of the bytes is closed.'));
  else from.pipe(stream);
  return source;
}

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The parser's own error would repeat the URL, and the URL is a secret. */
function wellFormed(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new GatewayError({ code: 'UPSTREAM_BAD_RESPONSE', message: 'The signed URL is no http address.' });
}
