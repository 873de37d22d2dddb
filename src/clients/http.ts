import type { Readable } from 'node:stream';
import { Agent, type buildConnector, type Dispatcher, request as undiciRequest } from 'undici';
import { addAttributes } from '../observability/trace.ts';
import { decodeBody, decodeIfPossible, isTooLarge } from './decode-body.ts';

/** A request whose answer is read into memory, up to a limit. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: string | URL;
  headers?: Record<string, string>;
  body?: string | Readable;
  /**
   * From the call to the last byte of the answer, including the wait for a free connection. Absent: no limit.
   */
  timeoutMs?: number;
  /** A longer answer fails as TOO_LARGE: an upstream must not fill the memory. */
  maxBytes: number;
  /** Whether a body that cannot be decompressed is returned as it was sent: the status says enough. */
  acceptsUnreadable?: boolean;
  /** Called when a connection is free and sending begins. */
  onStart?: () => void;
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

/** A request without a complete answer. */
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

/** A GET whose answer is read as a stream. */
export interface OpenRequest {
  url: string;
  headers: Record<string, string>;
  /** How long the peer may send nothing. */
  stallMs: number;
  signal: AbortSignal;
}

/** An answer whose body has not been read yet. */
export interface OpenAnswer {
  status: number;
  /** In the form of `HttpAnswer.headers`. */
  headers: Record<string, string>;
  body: Readable;
}

/** A connection pool. */
export interface HttpClient {
  /** Sends a request and reads the answer, whatever its status. @throws HttpFailure. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** Sends a GET and reads the headers of the answer; its body must be read or destroyed. @throws HttpFailure. */
  open(request: OpenRequest): Promise<OpenAnswer>;
  close(): Promise<void>;
}

/** A host that has not accepted a connection after five seconds is down or unroutable. */
export const connectMs = 5_000;

/** Without this header servers compress their answers, and a stream is not decompressed. */
const uncompressed = { 'accept-encoding': 'identity' };

/**
 * Creates a pool of keep-alive connections. `connect` replaces the usual way of resolving and connecting to a host.
 */
export function createHttpClient(options: {
  connections: number;
  connect?: buildConnector.connector;
}): HttpClient {
  const agent = new Agent({
    connections: options.connections,
    connect: options.connect ?? { timeout: connectMs },
    // Off: callers set a time-out for the whole request, which also bounds a slow but steady answer.
    headersTimeout: 0,
    bodyTimeout: 0,
    // HTTP/2 would put all requests to an upstream on one connection, where they would stall or break
    // together.
    allowH2: false,
  });
  return {
    async send(request) {
      addAttributes({ 'http.request.method': request.method });
      const answer = await dispatch(agent, request);
      addAttributes({ 'http.response.status_code': answer.status });
      return answer;
    },
    async open({ url, headers, stallMs, signal }) {
      const answer = await undiciRequest(url, {
        dispatcher: agent,
        headers: { ...uncompressed, ...headers },
        signal,
        headersTimeout: stallMs,
        bodyTimeout: stallMs,
      }).catch((error: unknown) => {
        const late = (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT';
        throw new HttpFailure(signal.aborted ? 'ABORTED' : late ? 'TIMEOUT' : 'UNREACHABLE', true, error);
      });
      return { status: answer.statusCode, headers: joined(answer.headers), body: answer.body };
    },
    close: () => agent.destroy(),
  };
}

/**
 * Calls the dispatcher directly: the stream of `undici.request`, `AbortSignal.any` and `AbortSignal.timeout`
 * together take two fifths of a small request's CPU time.
 */
function dispatch(dispatcher: Dispatcher, request: HttpRequest): Promise<HttpAnswer> {
  const { method, headers, body, timeoutMs, maxBytes, signal } = request;
  return new Promise((resolve, reject) => {
    /** Set once the request has begun on a live connection. */
    let connection: Dispatcher.DispatchController | undefined;
    let status = 0;
    let fields: Record<string, string> = {};
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    let timer: NodeJS.Timeout | undefined;

    const settle = () => {
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    };
    const fail = (kind: HttpFailureKind, cause: unknown) => {
      if (settled) return;
      settle();
      reject(new HttpFailure(kind, connection !== undefined, cause));
      connection?.abort(asError(cause));
    };
    const leave = () => fail('ABORTED', signal?.reason);

    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave);
    if (timeoutMs !== undefined)
      timer = setTimeout(
        () => fail('TIMEOUT', new Error(`no complete answer within ${timeoutMs} ms`)),
        timeoutMs,
      );
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        // The call failed while it waited for a connection, so it must not be sent.
        if (settled) controller.abort(new Error('aborted before it began'));
        else {
          connection = controller;
          request.onStart?.();
        }
      },
      onResponseStart(_controller, code, received) {
        status = code;
        fields = joined(received);
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > maxBytes) fail('TOO_LARGE', new Error(`the answer is longer than ${maxBytes} bytes`));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size);
        try {
          const decode = request.acceptsUnreadable ? decodeIfPossible : decodeBody;
          const body = decode(whole, fields['content-encoding'], maxBytes);
          settle();
          resolve({ status, headers: fields, body });
        } catch (error) {
          fail(isTooLarge(error) ? 'TOO_LARGE' : 'BROKEN', error);
        }
      },
      onResponseError(_controller, error) {
        fail(connection ? 'BROKEN' : 'UNREACHABLE', error);
      },
    };
    try {
      const { url } = request;
      const { origin, pathname, search } = typeof url === 'string' ? new URL(url) : url;
      const sent = { ...uncompressed, ...headers };
      dispatcher.dispatch(
        { origin, path: pathname + search, method, headers: sent, body: body ?? null },
        handler,
      );
    } catch (error) {
      fail('UNREACHABLE', error);
    }
  });
}

const asError = (cause: unknown) => (cause instanceof Error ? cause : new Error('aborted', { cause }));

/** Joins repeated headers of one answer. Changes the object in place: no other code has it. */
function joined(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}
