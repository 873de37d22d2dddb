import { Readable, Transform } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { GatewayError } from '../../model/errors.ts';
import { withSpan } from '../../observability/trace.ts';
import { callSpan } from '../call-span.ts';
import { fromHttpFailure, fromStatus } from '../failure.ts';
import { createHttpClient, flatten, type HttpClient, httpFailure, Sending } from '../http.ts';
import { readStorageRefusal } from './storage-refusal.ts';

export { type StorageReason, StorageRefusal } from './storage-refusal.ts';

/** An upload. */
export interface PutObject {
  /** Signed for writing. A secret. */
  url: string;
  /** The content type that came with the URL. */
  contentType: string;
  /** A stream is read as fast as storage takes it and destroyed on failure. Bytes are not copied. */
  body: Readable | Uint8Array;
  /** In bytes, if known: storage then refuses a body of another length. Some stores require it. */
  size?: number;
  signal?: AbortSignal;
}

/** A download. */
export interface GetObject {
  /** Signed for reading, or a public address. */
  url: string;
  /** Needed for a signed URL, whose signature covers it. */
  contentType?: string;
  /** As in the HTTP header: `bytes=0-99`. */
  range?: string;
  signal?: AbortSignal;
}

/** A file as storage delivers it. */
export interface StoredObject {
  /** 200, or 206 for a range. */
  status: number;
  headers: Record<string, string>;
  /** Must be read to its end or destroyed. */
  body: Readable;
}

/**
 * The file storage behind signed URLs. Throws StorageRefusal, UpstreamError when no usable answer came, the
 * error of the source stream, or the signal's reason.
 */
export interface Storage {
  putObject(object: PutObject): Promise<void>;
  getObject(object: GetObject): Promise<StoredObject>;
  close(): Promise<void>;
}

// Uploads are few and long, and each takes a connection while it runs.
const connections = 64;
// A peer that sends and takes no byte for a minute is gone, however slow its line is.
const stallMs = 60_000;
// Enough for the error document of any object store.
const maxErrorBytes = 16 * 1024;
// Send a large array in pieces of this size: each piece shows progress to the stall time-out.
const pieceBytes = 256 * 1024;

/** Makes the storage client. An injected dispatcher is not closed by it. */
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

/** Runs a call in a trace span, which shows only the host of a signed URL. */
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

/** Discards the body of a 2xx answer, and throws the error of any other. */
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
  /** Set when the source failed, not storage. */
  error?: unknown;
  close(): void;
}

/**
 * Passes the bytes on as storage takes them, and calls `onPiece` for each piece. It is a Transform because
 * iterating over a fast stream keeps a hundred megabytes more in memory.
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
  // The request that reads the stream reports its errors. Without a listener, any other would end the
  // process.
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

/** Parses a URL without quoting it in the error as `new URL` does: a signed URL is a secret. */
function wellFormed(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new GatewayError({ code: 'UPSTREAM_BAD_RESPONSE', message: 'The signed URL is no http address.' });
}
