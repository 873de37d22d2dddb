import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Logger } from '@srr-gateway/common/log';
import { redact } from '@srr-gateway/common/redact';
import { databaseUnavailable } from '../lib/database-unavailable.ts';
import { HttpError } from '../lib/http-error.ts';
import { requestIdOf } from '../lib/request-id.ts';
import { type ErrorCode, GatewayError } from '../model/errors.ts';

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

/** Sends JSON and ends the response. Closes the connection when headers are sent already. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendText(res, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** The same for any text. Its length is sent with it, as an answer is compressed only if it is whole. */
export function sendText(res: ServerResponse, status: number, type: string, text: string): void {
  if (writeText(res, status, type, text)) res.end();
}

/** Writes the whole response without ending it; false when it can no longer be sent. */
function writeText(res: ServerResponse, status: number, type: string, text: string): boolean {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return false;
  }
  res.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  res.write(text);
  return true;
}

/**
 * Calls `listener` when the headers of a response are complete and not sent yet; it may change them. When it
 * returns false, it answers by itself.
 */
export function beforeHeaders(res: ServerResponse, listener: () => boolean): void {
  const writeHead = res.writeHead as (status: number) => ServerResponse;
  res.writeHead = (
    status: number,
    ...rest: (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
  ) => {
    res.writeHead = writeHead;
    res.statusCode = status;
    for (const one of rest)
      if (typeof one === 'string') res.statusMessage = one;
      else if (one) setHeaders(res, one);
    return listener() ? writeHead.call(res, res.statusCode) : res;
  };
}

/** Headers in the forms that `writeHead` takes: an object, or a list in which names and values alternate. */
function setHeaders(res: ServerResponse, headers: OutgoingHttpHeaders | OutgoingHttpHeader[]): void {
  if (Array.isArray(headers))
    for (let i = 0; i < headers.length; i += 2)
      res.setHeader(String(headers[i]), headers[i + 1] as OutgoingHttpHeader);
  else for (const name in headers) if (headers[name] !== undefined) res.setHeader(name, headers[name]);
}

/** The only place where a failed route becomes a response: `{"error": {"code", "message"}}`. */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown, log: Logger): void {
  if (res.destroyed) {
    // The caller has left, which is why the route failed.
    log.debug({ err: error, requestId: requestIdOf(res) }, 'a caller went away');
    return;
  }
  const { status, body, headers } = answerTo(error, requestIdOf(res), log);
  for (const [name, value] of Object.entries(headers)) if (!res.headersSent) res.setHeader(name, value);
  const shape = req.url?.startsWith('/graphql') ? asGraphQL(body) : { error: body };
  if (writeText(res, status, 'application/json; charset=utf-8', JSON.stringify(shape)))
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
      headers: {},
    };
  }
  log.error({ err: error, requestId }, 'a route failed');
  const body = {
    code: 'UNKNOWN_ERROR',
    message: 'The gateway failed. Its log has the cause under this errorId.',
    errorId: requestId,
  };
  return { status: 500, body, headers: {} };
}

/** Long enough for a client to notice the response and stop sending. After this the connection is cut. */
const discardMs = 10_000;

/**
 * Reads and discards the rest of a refused body before the response ends. Closing with unread bytes would
 * reset the connection, and the client would lose the response.
 */
function endAfterBody(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return void res.end();
  const end = () => {
    clearTimeout(limit);
    res.end();
  };
  const limit = setTimeout(() => {
    end();
    req.destroy();
  }, discardMs).unref();
  req.once('end', end).once('close', end).resume();
}
