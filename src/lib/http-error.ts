import type { ErrorCode } from '../model/error-codes.ts';

/** The HTTP statuses of codes that are the same on every route. */
export const commonStatuses = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  RATE_LIMITED: 429,
  UPSTREAM_BAD_RESPONSE: 502,
  SERVICE_ERROR: 502,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
} satisfies Partial<Record<ErrorCode, number>>;

/** A 401 must name a way to authenticate (RFC 9110). The service's own headers have no scheme. */
export const challenge = { 'www-authenticate': 'Bearer' };

/** An error with an HTTP status, such as for an unknown route, a wrong method or a long body. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly code: string;
  /** Further members of the error, for programs. */
  readonly details: object;

  constructor(
    status: number,
    message: string,
    headers: Record<string, string> = {},
    code = status === 429 ? 'RATE_LIMITED' : 'INVALID_INPUT',
    details: object = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
    this.code = code;
    this.details = details;
  }
}
