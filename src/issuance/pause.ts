import { backoff } from '@srr-gateway/common/time';

/** Upper limit of the service's Retry-After: a wrong value must not stop an issuance for hours. */
const longestRetryAfterMs = 60_000;

/**
 * The pause in ms after failed attempt number `attempts`: the service's Retry-After, but never less than the backoff,
 * because a rate limiter that counts whole seconds may say 0.
 */
export const pauseAfter = (
  attempts: number,
  pauses: { firstMs: number; maxMs: number },
  retryAfterMs = 0,
): number => Math.max(backoff(attempts, pauses), Math.min(retryAfterMs, longestRetryAfterMs));
