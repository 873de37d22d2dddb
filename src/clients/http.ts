import { Agent, type Dispatcher, request } from 'undici';
import { addAttributes } from '../observability/trace.ts';

/** A request whose answer is read into memory, up to a limit. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** From the call to the last byte of the answer, waiting for a free connection included. */
  timeoutMs: number;
  /** A longer answer fails as TOO_LARGE, so that no upstream can fill the memory. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

/** An answer read to its end, whatever its status. */
export interface HttpAnswer {
  status: number;
  /** Names in lower case; a repeated header's values joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
}

/** UNREACHABLE: no connection. BROKEN: it ended early or was not HTTP. ABORTED: by the caller. */
export type HttpFailureKind = 'UNREACHABLE' | 'TIMEOUT' | 'BROKEN' | 'TOO_LARGE' | 'ABORTED';

/** A request that got no whole answer. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  /** False only when no byte of the request can have reached the upstream. */
  readonly sent: boolean;

  constructor(kind: HttpFailureKind, sent: boolean, cause: unknown) {
    super(`${kind}${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause });
    this.name = 'HttpFailure';
    this.kind = kind;
    this.sent = sent;
  }
}

/** Records whether a request began on a live connection; passed through the dispatcher as `opaque`. */
export class Sending {
  begun = false;
}

/** A connection pool. */
export interface HttpClient {
  /** Sends a request and reads the answer, whatever its status. @throws HttpFailure. */
  send(options: HttpRequest): Promise<HttpAnswer>;
  /** For bodies that must stream: pass a `Sending` as `opaque` to learn whether the request began. */
  dispatcher: Dispatcher;
  close(): Promise<void>;
}

/** Makes a pool of keep-alive connections. `close` leaves an injected dispatcher open for its owner. */
export function createHttpClient(options: { connections: number; dispatcher?: Dispatcher }): HttpClient {
  const agent =
    options.dispatcher ??
    new Agent({
      connections: options.connections,
      // A host that has not accepted a connection after five seconds is down or unroutable.
      connect: { timeout: 5_000 },
      // Off: callers set a time-out for the whole request, which also ends answers that are slow but steady.
      headersTimeout: 0,
      bodyTimeout: 0,
      // HTTP/2 would put all requests to an upstream on one connection, where they stall or break together.
      allowH2: false,
    });
  const dispatcher = agent.compose(noteBeginning);
  return {
    dispatcher,
    send: (one) => send(dispatcher, one),
    close: async () => {
      if (!options.dispatcher) await agent.destroy();
    },
  };
}

const noteBeginning: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { opaque } = options as { opaque?: unknown };
  if (!(opaque instanceof Sending)) return dispatch(options, handler);
  const begin = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    opaque.begun = true;
    begin?.(controller, context);
  };
  return dispatch(options, handler);
};

async function send(dispatcher: Dispatcher, options: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers, body, signal } = options;
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const sending = new Sending();
  addAttributes({ 'http.request.method': method });
  try {
    const answer = await request(url, {
      dispatcher,
      method,
      headers,
      body: body ?? null,
      opaque: sending,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
    addAttributes({ 'http.response.status_code': answer.statusCode });
    const bytes = await readWhole(answer.body, options.maxBytes);
    return { status: answer.statusCode, headers: flatten(answer.headers), body: bytes };
  } catch (error) {
    throw httpFailure(error, sending.begun, { signal, deadline });
  }
}

class TooLarge extends Error {}

async function readWhole(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** Classifies the error of a request; `begun` says whether it began on a live connection. */
export function httpFailure(
  error: unknown,
  begun: boolean,
  { signal, deadline }: { signal?: AbortSignal | undefined; deadline?: AbortSignal },
): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if (error instanceof TooLarge) return new HttpFailure('TOO_LARGE', begun, error);
  if (signal?.aborted) return new HttpFailure('ABORTED', begun, signal.reason);
  if (deadline?.aborted) return new HttpFailure('TIMEOUT', begun, deadline.reason);
  return new HttpFailure(begun ? 'BROKEN' : 'UNREACHABLE', begun, error);
}

/** Headers with one string each: a repeated header's values are joined by a comma. */
export function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
