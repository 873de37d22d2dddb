import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, GatewayError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';

/** An error whose status is HTTP's own business: no route, wrong method, a body too long. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
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

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

/** The one place where a failed route becomes an answer: `{"error": {"code", "message"}}`. */
export function sendError(req: IncomingMessage, res: ServerResponse, error: unknown, log: Logger): void {
  // What is left of a refused body is not read, so the connection cannot be used again.
  if (!req.complete && !res.headersSent) res.setHeader('connection', 'close');
  if (error instanceof HttpError) {
    for (const [name, value] of Object.entries(error.headers))
      if (!res.headersSent) res.setHeader(name, value);
    sendJson(res, error.status, { error: { code: 'INVALID_INPUT', message: error.message } });
  } else if (error instanceof GatewayError) {
    const { code, message, upstreamMessage, path } = error.faults[0];
    sendJson(res, statuses[code] ?? 400, { error: { code, message, path, upstreamMessage } });
  } else {
    log.error({ err: error }, 'a route failed');
    sendJson(res, 500, { error: { code: 'UNKNOWN_ERROR', message: 'The gateway failed; its log says why.' } });
  }
}
