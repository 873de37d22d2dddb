import { Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HttpError } from '../../lib/http-error.ts';
import { GatewayError } from '../../model/errors.ts';
import { fromHttpFailure, fromStatus, isVerdict } from '../failure.ts';
import { createHttpClient, type HttpAnswer, type HttpClient, HttpFailure } from '../http.ts';
import { withCallSpan } from '../resilience.ts';
import { readStorageRefusal } from './storage-refusal.ts';

/** An upload. */
export interface PutObject {
  /** Whose file it is. */
  issuer: string;
  /** Signed for writing. A secret. */
  url: string;
  /** The content type that came with the URL. */
  contentType: string;
  /** Read as fast as the storage takes it, and destroyed on failure. */
  body: Readable;
  /** In bytes, if known. Some stores require it, and refuse a body of another length. */
  size?: number | undefined;
  signal?: AbortSignal;
}

/** A file to be read. */
export interface GetObject {
  /** Whose file it is. */
  issuer: string;
  /** Signed for reading. A secret. */
  url: string;
  /** The content type that came with the URL: the signature covers it. */
  contentType: string;
  /** `Range` and `If-Range` of the reader's request. */
  range: Record<string, string>;
  /** Aborts the answer's body too. */
  signal: AbortSignal;
}

/** An object, or a range of it (206). The body must be read or destroyed. */
export interface StoredObject {
  status: 200 | 206;
  headers: Record<string, string>;
  body: Readable;
}

export type Storage = ReturnType<typeof createStorage>;

// For one issuer's uploads, and as many for its downloads. A transfer holds a connection, often for minutes; others
// wait in a queue.
const maxConnections = 64;
// A peer that neither sends nor receives a byte for a minute is gone, however slow its line.
const longestStallMs = 60_000;
// Far more than the error document of any object store.
const maxAnswerBytes = 1024 * 1024;

/** The error of an interrupted upload. */
function whyNotStored(
  failure: HttpFailure,
  sourceError: unknown,
  { caller, stalled }: { caller: AbortSignal | undefined; stalled: AbortSignal },
): unknown {
  if ((failure.cause as { code?: string } | undefined)?.code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH')
    return readStorageRefusal(400, 'IncompleteBody');
  if (caller?.aborted) return caller.reason;
  if (sourceError !== undefined) return sourceError;
  const known = stalled.aborted ? new HttpFailure('TIMEOUT', failure.sent, failure.cause) : failure;
  return fromHttpFailure('STORAGE', known);
}

/**
 * Makes the client of the file storage behind signed URLs. Throws StorageRefusal, UpstreamError when no usable answer
 * came, the error of the source stream, or the signal's reason.
 */
export function createStorage({
  stallMs = longestStallMs,
  connections = maxConnections,
}: {
  stallMs?: number;
  connections?: number;
} = {}) {
  // One pool for each issuer: in a shared one, 64 slow transfers of one issuer would block the others.
  const pools = new Map<string, HttpClient>();
  const poolOf = (method: 'GET' | 'PUT', issuer: string) => {
    const name = `${method} ${issuer}`;
    const pool = pools.get(name) ?? createHttpClient({ connections });
    pools.set(name, pool);
    return pool;
  };

  const putObject = async ({ issuer, url, contentType, body, size, signal }: PutObject): Promise<void> => {
    const stalled = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const source = observe(body, () => timer?.refresh());
    try {
      const answer = await poolOf('PUT', issuer).send({
        method: 'PUT',
        url,
        headers: {
          'content-type': contentType,
          ...(size !== undefined && { 'content-length': String(size) }),
        },
        body: source.stream,
        maxBytes: maxAnswerBytes,
        // Start the stall timer only now: an upload that waits for a free connection makes no progress.
        onStart: () => {
          timer = setTimeout(() => stalled.abort(), stallMs);
        },
        signal: signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal,
      });
      if (answer.status < 200 || answer.status > 299) throw fromAnswer(answer, answer.body.toString());
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      throw whyNotStored(error, source.error, { caller: signal, stalled: stalled.signal });
    } finally {
      clearTimeout(timer);
      source.close();
    }
  };

  const getObject = async ({ issuer, url, contentType, range, signal }: GetObject): Promise<StoredObject> => {
    const answer = await poolOf('GET', issuer)
      .open({ url, headers: { 'content-type': contentType, ...range }, stallMs, signal })
      .catch((error: unknown) => {
        signal.throwIfAborted();
        throw error instanceof HttpFailure ? fromHttpFailure('STORAGE', error) : error;
      });
    const { status, headers, body } = answer;
    if (status === 200 || status === 206) return { status, headers, body };
    // A truncated document is ignored: the status is enough.
    const whole = await text(Readable.from(limited(body))).catch(() => '');
    signal.throwIfAborted();
    if (status === 416)
      throw new HttpError(416, 'The file is shorter than the range begins.', {
        'content-range': headers['content-range'] ?? 'bytes */*',
      });
    throw fromAnswer(answer, whole);
  };

  return {
    /** @throws HttpError 416 too, when the object does not have the range. */
    async getObject(object: GetObject): Promise<StoredObject> {
      const host = hostOf(object.url);
      if (host === undefined) throw noHttpAddress();
      return withCallSpan({ upstream: 'STORAGE', host }, () => getObject(object));
    },
    async putObject(object: PutObject): Promise<void> {
      const host = hostOf(object.url);
      if (host !== undefined) return withCallSpan({ upstream: 'STORAGE', host }, () => putObject(object));
      object.body.destroy();
      throw noHttpAddress();
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

/** The error for an answer that has a document in place of the object. */
function fromAnswer(answer: Pick<HttpAnswer, 'status' | 'headers'>, document: string): GatewayError {
  const { status } = answer;
  // S3's answer to a body of unknown length.
  const isUnknownLength = status === 501 && document.includes('Transfer-Encoding');
  return isUnknownLength || isVerdict(status)
    ? readStorageRefusal(status, document)
    : fromStatus('STORAGE', answer);
}

const noHttpAddress = () =>
  new GatewayError({
    code: 'UPSTREAM_BAD_RESPONSE',
    message: 'The service returned a signed URL that is not an http address. Report it to the operator.',
  });

/** The start of an error document, up to `maxAnswerBytes`. */
async function* limited(body: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxAnswerBytes) return;
    yield piece;
  }
}

interface Source {
  stream: Readable;
  /** Set when the source failed, not the storage. */
  error?: unknown;
  close(): void;
}

/**
 * Passes the bytes on as fast as the storage takes them, and calls `onPiece` for each piece. A Transform,
 * because async iteration over a fast stream takes a hundred megabytes more memory.
 */
function observe(body: Readable, onPiece: () => void): Source {
  const stream = new Transform({
    transform(piece, _encoding, done) {
      onPiece();
      done(null, piece);
    },
  });
  const close = () => {
    body.destroy();
    stream.destroy();
  };
  const source: Source = { stream, close };
  const fail = (error: unknown) => {
    source.error ??= error;
    stream.destroy(error as Error);
  };
  body.on('error', fail);
  // The request that reads the stream reports its errors. Without a listener, a later error would end the
  // process.
  stream.on('error', () => {});
  body.once('close', () => {
    if (!body.readableEnded && !stream.destroyed) fail(new Error('The source of the bytes ended too early.'));
  });
  if (body.destroyed) fail(body.errored ?? new Error('The source of the bytes is closed.'));
  else body.pipe(stream);
  return source;
}

/**
 * The host of an http address; undefined for other text. `new URL` would quote the text in its error, and a
 * signed URL is a secret.
 */
function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.host : undefined;
}
