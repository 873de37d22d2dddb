import { type ErrorCode, type Upstream, UpstreamError } from '../model/errors.ts';
import { HttpFailure, type HttpFailureKind } from './http.ts';

/** Names of the upstreams at the start of error messages. */
export const upstreamNames: Record<Upstream, string> = {
  COMMERCE: 'The issuance service',
  STORAGE: 'The file storage',
  SUBGRAPH: 'The subgraph',
  IPFS: 'The IPFS gateway',
};

const httpFailures: Record<HttpFailureKind, [code: ErrorCode, what: string]> = {
  UNREACHABLE: ['UPSTREAM_UNAVAILABLE', 'cannot be reached'],
  BROKEN: ['UPSTREAM_UNAVAILABLE', 'broke off the connection'],
  TIMEOUT: ['UPSTREAM_TIMEOUT', 'did not answer in time'],
  ABORTED: ['UPSTREAM_TIMEOUT', 'had not answered when the call was aborted'],
  TOO_LARGE: ['UPSTREAM_BAD_RESPONSE', 'sent an answer that is too large'],
};

/**
 * The error to throw for a request without a complete answer; returns errors other than `HttpFailure`
 * unchanged. For an aborted request it is the abort reason. With `effect` (the request changes something) it
 * is an UpstreamError once sending has begun, so that the caller gets `maybeProcessed`.
 */
export function fromHttpFailure(upstream: Upstream, failure: unknown, { effect = false } = {}): unknown {
  if (!(failure instanceof HttpFailure)) return failure;
  if (failure.kind === 'ABORTED' && !(effect && failure.sent)) return failure.cause;
  const [code, what] = httpFailures[failure.kind];
  const advice = code === 'UPSTREAM_BAD_RESPONSE' ? 'Report it to the operator' : 'Try again later';
  return new UpstreamError(
    { code, message: `${upstreamNames[upstream]} ${what}. ${advice}.` },
    { upstream, maybeProcessed: failure.sent },
    { cause: failure },
  );
}

/**
 * Whether a status may be the upstream's verdict on the request. A 429 is about the number of calls. A 408 says that
 * time was up: the upstream may still be working on the request, whatever the text says.
 */
export const isVerdict = (status: number) =>
  status >= 400 && status < 500 && status !== 408 && status !== 429;

/** The error to throw for an HTTP status that is not about the caller's input. */
export function fromStatus(
  upstream: Upstream,
  answer: { status: number; headers: Record<string, string> },
  upstreamMessage?: string,
  options?: ErrorOptions,
): UpstreamError {
  const { status } = answer;
  const [code, what, advice]: [ErrorCode, string, string] =
    status === 429
      ? ['RATE_LIMITED', 'asks for fewer calls', 'Slow down and try again later']
      : status === 408
        ? ['UPSTREAM_TIMEOUT', 'gave up waiting for the request', 'Try again']
        : status >= 500
          ? ['UPSTREAM_UNAVAILABLE', `failed with HTTP status ${status}`, 'Try again later']
          : ['UPSTREAM_BAD_RESPONSE', `answered with HTTP status ${status}`, 'Report it to the operator'];
  return new UpstreamError(
    {
      code,
      message: `${upstreamNames[upstream]} ${what}. ${advice}.`,
      ...(upstreamMessage === undefined ? {} : { upstreamMessage }),
    },
    {
      upstream,
      status,
      // A 4xx refuses the request, but a proxy's 408, or a 5xx, may come after the work was done.
      maybeProcessed: status < 400 || status === 408 || status >= 500,
      retryAfterMs: retryAfterMs(answer.headers),
    },
    options,
  );
}

/**
 * Reads `Retry-After`, a date or seconds, as milliseconds from now; undefined if absent or unreadable. A date is
 * relative to the sender's clock, which the answer usually states.
 */
export function retryAfterMs(headers: Record<string, string>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const sentAt = Date.parse(headers.date ?? '') || Date.now();
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - sentAt;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The first 300 bytes of an answer of unknown form. It may quote a secret: the log redacts it, others must. */
export function excerpt(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 300)).toString('utf8');
}
