import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { backoff, sleep } from '@srr-gateway/common/time';
import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel';
import { halfOpenAfter } from '../lib/half-open-after.ts';
import { type Upstream, UpstreamError } from '../model/errors.ts';
import { publish } from '../observability/telemetry.ts';
import { setOutcome, withSpan } from '../observability/trace.ts';
import { upstreamNames } from './failure.ts';

/** Settings of one upstream address. */
export interface ResilienceOptions {
  upstream: Upstream;
  log: Logger;
  /** The host of this address, for metrics, traces and the log. */
  host: string;
  /** Attempts that `run` makes after the first. */
  retries: number;
  /** Which failures count towards opening the breaker; `isOutage` by default. */
  counts?: (error: unknown) => boolean;
}

type Work<T> = (signal?: AbortSignal) => Promise<T>;

/** Circuit breaker and retries of one upstream address. */
export interface Resilience {
  /** Breaker and retries: for calls that may be repeated. */
  run<T>(work: Work<T>, signal?: AbortSignal): Promise<T>;
  /** Breaker only: for calls that must not be repeated. */
  once<T>(work: Work<T>, signal?: AbortSignal): Promise<T>;
  /** Whether the breaker is half-open: one call tests if the upstream is back, and other calls wait for it. */
  isOnTrial(): boolean;
}

// Five failed attempts in a row, retries included, mean that the upstream is down. One lost request does not.
const failuresToOpen = 5;
// Long enough not to flood a restarting service, short enough to notice its return soon.
const halfOpenAfterMs = 5_000;
// Short enough for a person at a screen to wait for all retries.
const pause = { firstMs: 100, maxMs: 2_000 };
// Callers would not wait longer. With a longer `Retry-After` the call fails and says when to retry.
const longestRetryAfterMs = 5_000;

/**
 * Whether an error shows that the upstream is unhealthy: no answer, a 5xx, or an answer below 400 of unknown
 * form. A 4xx, 429 included, comes from an upstream that works.
 */
export const isOutage = (error: unknown) =>
  error instanceof UpstreamError && (error.status === undefined || error.status < 400 || error.status >= 500);

/** Makes the breaker, the retries, the trace spans and the metrics of one upstream address. */
export function createResilience(options: ResilienceOptions): Resilience {
  const { upstream, log, host, retries, counts = isOutage } = options;
  const isOnTrial = () => breaker.state === CircuitState.HalfOpen;
  // cockatiel closes the breaker after an uncounted failure of a trial, so count a trial whose caller left, which
  // proves nothing.
  const counted = handleWhen((error) => counts(error) || (error instanceof GivenUp && isOnTrial()));
  const breaker = circuitBreaker(counted, {
    halfOpenAfter: halfOpenAfter(halfOpenAfterMs, (error) => !(error instanceof GivenUp)),
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  // Every failed trial reopens the breaker.
  const outage = new OutageLog(log.child({ upstream, host }), 'circuit opened: calls fail at once');
  breaker.onBreak((reason) => {
    const error = 'error' in reason ? reason.error : undefined;
    if (!(error instanceof GivenUp)) outage.failed(error);
  });
  breaker.onReset(() => outage.succeeded());

  const attempt = <T>(work: Work<T>, signal: AbortSignal | undefined, number: number) =>
    withCallSpan({ upstream, host, attempt: number }, async () => {
      signal?.throwIfAborted();
      const startedAt = performance.now();
      let outcome = 'ok';
      try {
        return await breaker.execute(() => unlessGivenUp(work, signal));
      } catch (thrown) {
        const error = thrown instanceof GivenUp ? thrown.failure : thrown;
        outcome = outcomeOf(error, signal);
        throw error instanceof BrokenCircuitError ? circuitOpen(upstream, error) : error;
      } finally {
        setOutcome(outcome);
        publish('upstream', { upstream, host, outcome, seconds: (performance.now() - startedAt) / 1000 });
      }
    });

  return {
    isOnTrial,
    once: (work, signal) => attempt(work, signal, 1),
    async run(work, signal) {
      for (let number = 1; ; number++) {
        try {
          return await attempt(work, signal, number);
        } catch (error) {
          if (signal?.aborted || number > retries || !isTransient(error)) throw error;
          const ms = Math.max(error.retryAfterMs ?? 0, backoff(number - 1, pause));
          await sleep(ms, signal).catch(() => signal?.throwIfAborted());
        }
      }
    },
  };
}

/** @throws GivenUp when the caller leaves, or has left. */
async function unlessGivenUp<T>(work: Work<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    // The breaker may have waited for another call's answer.
    signal?.throwIfAborted();
    return await work(signal);
  } catch (failure) {
    throw signal?.aborted ? new GivenUp(failure) : failure;
  }
}

/** Runs one attempt to call an upstream in a trace span. It names only the host: paths may hold keys. */
export function withCallSpan<T>(
  { upstream, host, attempt = 1 }: { upstream: Upstream; host: string; attempt?: number },
  run: () => Promise<T>,
): Promise<T> {
  const attributes = { 'srr.upstream': upstream, 'server.address': host, 'srr.attempt': attempt };
  return withSpan({ name: `call ${upstream}`, kind: 'CLIENT', attributes }, run);
}

/** Whether a call failed without being sent, because the breaker was open. */
export const isCircuitOpen = (error: unknown): boolean =>
  error instanceof UpstreamError && error.cause instanceof BrokenCircuitError;

/** Whether a retry may help. While the breaker is open it would fail at once. */
const isTransient = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  ['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'RATE_LIMITED'].includes(error.code) &&
  (error.retryAfterMs ?? 0) <= longestRetryAfterMs &&
  !isCircuitOpen(error);

/**
 * Wraps the failure of an aborted call, so that the breaker does not count it: callers who leave must not
 * open it for others.
 */
class GivenUp {
  readonly failure: unknown;

  constructor(failure: unknown) {
    this.failure = failure;
  }
}

function outcomeOf(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted) return 'CANCELLED';
  if (error instanceof BrokenCircuitError) return 'CIRCUIT_OPEN';
  return error instanceof UpstreamError ? error.code : 'REFUSED';
}

const circuitOpen = (upstream: Upstream, cause: Error) =>
  new UpstreamError(
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: `${upstreamNames[upstream]} has failed repeatedly and is not called for a few seconds. Try again then.`,
    },
    { upstream, maybeProcessed: false, retryAfterMs: halfOpenAfterMs },
    { cause },
  );
