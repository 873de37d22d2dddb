import { type ErrorCode, type Upstream, UpstreamError } from '../model/errors.ts';
import type { HttpFailure } from './http.ts';

const names: Record<Upstream, string> = {
  COMMERCE: 'The issuance service',
  STORAGE: 'The file storage',
  SUBGRAPH: 'The subgraph',
  IPFS: 'The IPFS gateway',
};

/** How an upstream is called in messages to people. */
export function upstreamName(upstream: Upstream): string {
  return names[upstream];
}

/**
 * The error of a request that got no whole answer. A caller's own abort stays the caller's reason,
 * unless the request was begun and `maybeProcessed` matters: then see `UpstreamError.maybeProcessed`.
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

/** The error of an HTTP status that says nothing about the caller's input. */
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
      // A 4xx refuses the request; a proxy's 408 and any 5xx may follow work already done.
      maybeProcessed: status < 400 || status === 408 || status >= 500,
      retryAfterMs: retryAfterMs(answer.headers),
    },
    options,
  );
}

/** `Retry-After` in either form, as milliseconds from now. */
export function retryAfterMs(headers: Record<string, string>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** The start of an answer that could not be understood: for the log, never for a caller. */
export function excerpt(body: Uint8Array): string {
  return Buffer.from(body.subarray(0, 300)).toString('utf8');
}
