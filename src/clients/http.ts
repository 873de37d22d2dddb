import { Agent, type Dispatcher, request } from 'undici';
import { addAttributes } from '../observability/trace.ts';

/** A request whose answer is read whole, up to a limit. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** From the first connection attempt to the last byte of the answer. */
  timeoutMs: number;
  /** A longer answer is cut off and fails as TOO_LARGE. */
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  /** Names in lower case; a repeated header's values joined by a comma. */
  headers: Record<string, string>;
  body: Buffer;
}

/** UNREACHABLE: no connection. BROKEN: the connection ended early, or spoke no HTTP. ABORTED: by the caller. */
export type HttpFailureKind = 'UNREACHABLE' | 'TIMEOUT' | 'BROKEN' | 'TOO_LARGE' | 'ABORTED';

/** A request without a whole answer. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind;
  /** False only when not one byte of the request can have reached the other side. */
  readonly sent: boolean;

  constructor(kind: HttpFailureKind, sent: boolean, cause: unknown) {
    super(`${kind}${cause instanceof Error ? `: ${cause.message}` : ''}`, { cause });
    this.name = 'HttpFailure';
    this.kind = kind;
    this.sent = sent;
  }
}

/** Whether a request was begun on a live connection; carried through the dispatcher with the request. */
export class Sending {
  begun = false;
}

export interface HttpClient {
  send(options: HttpRequest): Promise<HttpAnswer>;
  /** For bodies that must stream: give a `Sending` as `opaque` to learn whether the request was begun. */
  dispatcher: Dispatcher;
  close(): Promise<void>;
}

/**
 * A pool of kept-alive connections. An injected dispatcher stays its owner's: `close` leaves it open.
 */
export function createHttpClient(options: { connections: number; dispatcher?: Dispatcher }): HttpClient {
  const agent =
    options.dispatcher ??
    new Agent({
      connections: options.connections,
      // A host that does not answer a connection attempt by then is down or unroutable.
      connect: { timeout: 5_000 },
      // These are ended by the caller's own time-outs, which also cover slow but steady answers.
      headersTimeout: 0,
      bodyTimeout: 0,
      // HTTP/2 would put all requests of an upstream on one connection, to stall or break together.
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

/** Names what went wrong with a request that was begun or not. */
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

/** Headers with one text each. */
export function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
