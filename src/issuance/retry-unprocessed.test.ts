import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../model/errors.ts';
import { retryUnprocessed } from './retry-unprocessed.ts';

const failure = (code: 'UPSTREAM_UNAVAILABLE' | 'UPSTREAM_BAD_RESPONSE', status?: number) =>
  new UpstreamError({ code, message: '' }, { upstream: 'COMMERCE', maybeProcessed: false, status });
const outage = failure('UPSTREAM_UNAVAILABLE');
const refusal = failure('UPSTREAM_BAD_RESPONSE', 404);

/** The number of requests until the retry stops, when `first` fail as listed and all others with `then`. */
function triesUntilGivenUp(first: UpstreamError[], then: UpstreamError): number {
  let attempts = 0;
  for (let tries = 1; tries <= 1_000; tries++) {
    const next = retryUnprocessed(first[tries - 1] ?? then, attempts);
    if (!next) return tries;
    attempts = next.attempts;
  }
  return Number.POSITIVE_INFINITY;
}

describe('a request that was not processed', () => {
  it('is retried as long as the service is unavailable', () => {
    expect(triesUntilGivenUp([], outage)).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not retried any more after a proxy has refused it for half a minute', () => {
    expect(triesUntilGivenUp([], refusal)).toBe(7);
  });

  it.each([1, 5, 50])('is still retried after the first refusal that follows an outage (%i)', (outages) => {
    const tries = triesUntilGivenUp(Array(outages).fill(outage), refusal) - outages;
    expect(tries).toBeGreaterThanOrEqual(3);
  });
});
