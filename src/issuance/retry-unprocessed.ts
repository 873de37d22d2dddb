import type { UpstreamError } from '../model/errors.ts';
import { pauseAfter } from './pause.ts';

// A service that is down comes back in seconds or minutes, and a request every few seconds does not burden it.
const retryMs = { firstMs: 500, maxMs: 15_000 };
// About half a minute with the pauses, for which a restarting proxy may answer 4xx.
const refusedTries = 6;
// Other failures count up to this number, so that a proxy's first 4xx after an outage is not the last attempt.
const otherTries = refusedTries - 2;

/** When to send a request again that certainly was not processed; undefined once a proxy keeps refusing it. */
export function retryUnprocessed(
  error: UpstreamError,
  attempts: number,
): { afterMs: number; attempts: number } | undefined {
  const isRefused = isRefusedOnTheWay(error);
  if (isRefused && attempts >= refusedTries) return undefined;
  const afterMs = pauseAfter(attempts, retryMs, error.retryAfterMs);
  return { afterMs, attempts: isRefused ? attempts + 1 : Math.min(attempts + 1, otherTries) };
}

/** A 4xx that is not the service's own, such as a proxy's 413: the same request would get it again. */
const isRefusedOnTheWay = ({ code, status = 0 }: UpstreamError) =>
  code === 'UPSTREAM_BAD_RESPONSE' && status >= 400 && status < 500;
