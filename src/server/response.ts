import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { redact } from '@srr-gateway/common/redact';
import { databaseUnavailable } from '../lib/database-unavailable.ts';
import { HttpError } from '../lib/http-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { graphqlPath } from '../lib/operation-params.ts';
import { requestIdOf } from '../lib/request-id.ts';
import { jsonType } from '../lib/send.ts';
import { type ErrorCode, GatewayError } from '../model/errors.ts';

/** Every response of the server, whoever writes it. */
export class GatewayResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** What the hooks add to its head: names and values in turns, as one `writeHead` takes them fastest. */
  common: readonly string[] = [];
  /** By its content type, because a request only says what it would accept. */
  isEventStream = false;

  add(...headers: string[]): void {
    this.common = [...this.common, ...headers];
  }

  override writeHead(
    status: number,
    headers: string | OutgoingHttpHeaders | OutgoingHttpHeader[] = [],
  ): this {
    const own = Array.isArray(headers) ? headers : (Object.entries(headers).flat() as OutgoingHttpHeader[]);
    const type = own[own.indexOf('content-type') + 1];
    this.isEventStream = typeof type === 'string' && type.startsWith('text/event-stream');
    return super.writeHead(status, ['x-request-id', requestIdOf(this), ...this.common, ...own]);
  }
}

/**
 * Runs before the route of each request. One that answers the request ends it there.
 * @throws to refuse it.
 */
export type Hook = (req: IncomingMessage, res: GatewayResponse, url: URL) => MaybePromise<void>;

/** Aborts when the caller goes away, or has its answer. */
export function whenCallerLeaves(res: ServerResponse): AbortSignal {
  const left = new AbortController();
  res.once('close', () => left.abort(new Error('the caller went away')));
  return left.signal;
}

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  FILE_NOT_FOUND: 404,
  FILENAME_TAKEN: 409,
  FILE_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  UPSTREAM_BAD_RESPONSE: 502,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
  SERVICE_ERROR: 502,
};

/** The only place where a failed route becomes a response: `{"error": {"code", "message"}}`. */
export function sendError(res: ServerResponse, error: unknown, log: Logger): void {
  const { req } = res;
  const requestId = requestIdOf(res);
  // The caller has left, which is why the route failed.
  if (res.destroyed) return void log.debug({ err: error, requestId }, 'a caller went away');
  const { status, body, headers } = answerTo(error, requestId, log);
  // Its reader sees that the response is not whole.
  if (res.headersSent) return void res.destroy();
  const text = JSON.stringify(req.url?.startsWith(graphqlPath) ? asGraphQL(body) : { error: body });
  const length = Buffer.byteLength(text);
  res.writeHead(status, { ...headers, 'content-type': jsonType, 'content-length': length }).write(text);
  endAfterBody(req, res);
}

/** GraphQL clients look for errors in `errors` only. */
function asGraphQL({ message, ...extensions }: { code: string; message: string }) {
  return { errors: [{ message, extensions }] };
}

function answerTo(failure: unknown, requestId: string, log: Logger) {
  const away = databaseUnavailable(failure);
  if (away) log.error({ err: failure, requestId }, 'a route failed');
  const error = away ?? failure;
  if (error instanceof HttpError) {
    const { status, code, message, headers } = error;
    return { status, body: { code, message }, headers };
  }
  if (error instanceof GatewayError) {
    const { code, message, upstreamMessage, path } = error.faults[0];
    return {
      status: statuses[code] ?? 400,
      body: { code, message, path, upstreamMessage: upstreamMessage && redact(upstreamMessage) },
    };
  }
  log.error({ err: error, requestId }, 'a route failed');
  const message = 'The gateway failed. Its log has the cause under this errorId.';
  return { status: 500, body: { code: 'UNKNOWN_ERROR', message, errorId: requestId } };
}

/** Long enough for a client to notice the response and stop sending. After this the connection is cut. */
const discardMs = 10_000;

/**
 * Reads and discards the rest of a refused body before the response ends. Closing with unread bytes would
 * reset the connection, and the client would lose the response.
 */
function endAfterBody(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end();
  const limit = setTimeout(() => req.destroy(), discardMs).unref();
  const end = () => {
    clearTimeout(limit);
    res.end();
  };
  req.once('end', end).once('close', end).resume();
}
