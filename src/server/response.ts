import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { errorBody } from '../lib/error-body.ts';
import { challenge, commonStatuses, HttpError } from '../lib/http-error.ts';
import { requestIdOf } from '../lib/http-request-id.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { visibleFault } from '../lib/visible-fault.ts';
import type { ErrorCode } from '../model/errors.ts';

/** Every response of the server, whoever writes it. */
export class GatewayResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Headers that the hooks add: alternating names and values, the form that `writeHead` takes fastest. */
  common: readonly string[] = [];
  /** Set by its content type, because a request only says what it would accept. */
  isEventStream = false;

  add(...headers: string[]): void {
    this.common = [...this.common, ...headers];
  }

  override writeHead(
    status: number,
    headers: string | OutgoingHttpHeaders | OutgoingHttpHeader[] = [],
  ): this {
    const own = Array.isArray(headers) ? headers : (Object.entries(headers).flat() as OutgoingHttpHeader[]);
    const at = own.indexOf('content-type');
    this.isEventStream = at >= 0 && String(own[at + 1]).startsWith('text/event-stream');
    return super.writeHead(status, ['x-request-id', requestIdOf(this), ...this.common, ...own]);
  }
}

/**
 * Runs before the route of each request. The route is skipped if a hook answers.
 * @throws to refuse it.
 */
export type Hook = (req: IncomingMessage, res: GatewayResponse, url: URL) => MaybePromise<void>;

/** Aborts when the caller leaves, or has its answer. */
export function whenCallerLeaves(res: ServerResponse): AbortSignal {
  const left = new AbortController();
  res.once('close', () => left.abort(new Error('the caller went away')));
  return left.signal;
}

const statuses: Partial<Record<ErrorCode, number>> = {
  ...commonStatuses,
  FILE_NOT_FOUND: 404,
  FILENAME_TAKEN: 409,
  FILE_TOO_LARGE: 413,
};

/** Default in seconds: a system that restarts usually answers again by then. */
const retryAfter = '5';

/** Turns every failure of a route into a response. */
export function sendError(res: ServerResponse, error: unknown, log: Logger): void {
  const { req } = res;
  const requestId = requestIdOf(res);
  // The caller has left, which is why the route failed.
  if (res.destroyed) return void log.debug({ err: error, requestId }, 'a caller went away');
  const { status, body, headers } = answerTo(error, requestId, log);
  // Destroying the response shows its reader that it is incomplete.
  if (res.headersSent) return void res.destroy();
  const { type, text } = errorBody(req.url ?? '', status, body);
  const own = { 'content-type': type, 'content-length': Buffer.byteLength(text) };
  const then = status === 503 ? { 'retry-after': retryAfter } : status === 401 && challenge;
  // Without the header caches may store some errors, such as the 404 of a resource that exists a second later.
  res.writeHead(status, { 'cache-control': 'private, no-store', ...then, ...headers, ...own }).write(text);
  endAfterBody(req, res);
}

function answerTo(failure: unknown, requestId: string, log: Logger) {
  if (failure instanceof HttpError) {
    const { status, code, message, headers, details } = failure;
    return { status, body: { code, message, ...details }, headers };
  }
  const fault = visibleFault(failure, requestId, log, 'a route failed');
  const { code, message, path, upstreamMessage, errorId } = fault;
  const status = errorId === undefined ? (statuses[code] ?? 400) : 500;
  return { status, body: { code, message, path, upstreamMessage, errorId } };
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
