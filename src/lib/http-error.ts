/** An error with an HTTP status, such as for an unknown route, a wrong method or a long body. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly code: string;
  /** What programs may want to know besides, as members of the error. */
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
