import { type ErrorCode, type Upstream, UpstreamError } from '../model/errors.ts';
import type { HttpFailure } from './http.ts';

const names: Record<Upstream, string> = {
  COMMERCE: 'The issuance service',
  STORAGE: 'The file storage',
  SUBGRAPH: 'The subgraph',
  IPFS: 'The IPFS gateway',
};

/** The name of an upstream in messages to people; it begins a sentence. */
export function upstreamName(upstream: Upstream): string {
  return names[upstream];
}

/**
 * Turns a request without a whole answer into the error to throw. Use it for an aborted request only when the
 * upstream may have acted on it (`maybeProcessed`); otherwise throw the caller's own abort reason.
 */
export function fromHttpFailure(upstream: Upstream, failure: HttpFailure): UpstreamError {
  const [code, what]: [ErrorCode, string] = {
    UNREACHABLE: ['UPSTREAM_UNAVAILABLE', 'cannot be reached'],
    BROKEN: ['UPSTREAM_UNAVAILABLE', 'broke off the connection'],
    TIMEOUT: ['UPSTREAM_TIMEOUT', 'did not answer in time'],
    ABORTED: ['UPSTREAM_TIMEOUT', 'had not answered yet when the call was given up'],
    TOO_LARGE: ['UPSTREAM_BAD_RESPONSE', 'sent more than could be taken in'],
  }[failure.kind] as [ErrorCode, string];
  const retry = code === 'UPSTREAM_BAD_RESPONSE' ? 'Report it to the operator' : 'Try again later';
  return new UpstreamError(
    { code, message: `${names[upstream]} ${what}. ${retry}.` },
    { upstream, maybeProcessed: failure.sent },
    { cause: failure },
  );
}

/** Turns an HTTP status that says nothing about the caller's input into the error to throw. */
export function fromStatus(
  upstream: Upstream,
  answer: { status: number; headers: Record<string, string> },
  upstreamMessage?: string,
  options?: ErrorOptions,
): UpstreamError {
  const { status } = answer;
  const [code, what, mend]: [ErrorCode, string, string] =
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
      message: `${names[upstream]} ${what}. ${mend}.`,
      ...(upstreamMessage === undefined ? {} : { upstreamMessage }),
    },
    {
      upstream,
      status,
      // A 4xx refuses the request. A 408 from a proxy, or a 5xx, may come after the work was done.
      maybeProcessed: status < 400 || status === 408 || status >= 500,
      retryAfterMs: retryAfterMs(answer.headers),
    },
    options,
  );
}

/** Reads `Retry-After`, a date or seconds, as milliseconds from now; undefined if absent or unreadable. */
export function retryAfterMs(headers: Record<string, string>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The first 300 bytes of an answer that could not be understood: for the log, never for a caller. */
export function excerpt(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 300)).toString('utf8');
}
