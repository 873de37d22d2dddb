import type { Logger } from '@srr-gateway/common/log';
import { backoff, sleep } from '@srr-gateway/common/time';
import {
  BrokenCircuitError,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
  type IPolicy,
  retry,
  TaskCancelledError,
} from 'cockatiel';
import { type Upstream, UpstreamError } from '../model/errors.ts';
import { publish } from '../observability/telemetry.ts';
import { addAttributes, withSpan } from '../observability/trace.ts';
import { callSpan } from './call-span.ts';
import { upstreamName } from './failure.ts';

/** What a breaker guards, and which failures it counts. */
export interface ResilienceOptions {
  upstream: Upstream;
  log: Logger;
  /** Which of an upstream's addresses this is, for metrics, traces and the log. */
  host: string;
  /** Attempts that `run` makes after the first. */
  retries: number;
  /** Which failures count towards opening the breaker; `failing` by default. */
  counts?: (error: unknown) => boolean;
}

type Attempt = <T>(
  work: (signal?: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
  attempt?: number,
) => Promise<T>;

/** Spares a failing upstream further calls (breaker), and callers a passing failure (retries). */
export interface Resilience {
  /** Breaker and retries: for calls that may be repeated freely. */
  run<T>(work: (signal?: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Breaker only: for calls that must not be repeated. */
  once<T>(work: (signal?: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

// One lost request proves nothing; five failed attempts in a row, retries included, mean that it is down.
const failuresToOpen = 5;
// Long enough to spare a restarting service a stampede, short enough to be noticed soon when it is back.
const halfOpenAfterMs = 5_000;
// Short enough for a person at a screen to wait through all retries.
const pause = { firstMs: 100, maxMs: 2_000 };
// A caller would not wait longer: after a longer `Retry-After` the call fails and says when to retry.
const longestRetryAfterMs = 5_000;

const passing = (error: unknown): error is UpstreamError =>
  error instanceof UpstreamError &&
  (error.code === 'UPSTREAM_UNAVAILABLE' ||
    error.code === 'UPSTREAM_TIMEOUT' ||
    error.code === 'RATE_LIMITED') &&
  (error.retryAfterMs ?? 0) <= longestRetryAfterMs;

/**
 * Whether an error shows that the upstream is unwell: no answer, a 5xx, or an answer below 400 that could not
 * be understood. A 4xx, 429 included, comes from an upstream that works.
 */
export const failing = (error: unknown) =>
  error instanceof UpstreamError && (error.status === undefined || error.status < 400 || error.status >= 500);

/** Makes the breaker and the retries of one address of an upstream. */
export function createResilience({
  upstream,
  log,
  host,
  retries,
  counts = failing,
}: ResilienceOptions): Resilience {
  const breaker = circuitBreaker(handleWhen(counts), {
    halfOpenAfter: halfOpenAfterMs,
    breaker: new ConsecutiveBreaker(failuresToOpen),
  });
  breaker.onBreak(() => log.warn({ upstream, host }, 'circuit opened: calls fail at once'));
  breaker.onReset(() => log.info({ upstream, host }, 'circuit closed: calls go through again'));
  // Do not retry while the breaker is open: the retry would fail at once.
  const retrying = retry(
    handleWhen((error) => passing(error) && !(error.cause instanceof BrokenCircuitError)),
    { maxAttempts: retries },
  );

  const attempted: Attempt = async (work, signal) => {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const ended = (outcome: string) => {
      addAttributes({}, outcome);
      publish('upstream', { upstream, host, outcome, seconds: (performance.now() - startedAt) / 1000 });
    };
    try {
      const answer = await execute(breaker, () => work(signal).catch(orGivenUp(signal)), signal);
      ended('ok');
      return answer;
    } catch (thrown) {
      const error = thrown instanceof GivenUp ? thrown.failure : thrown;
      ended(signal?.aborted ? 'CANCELLED' : outcomeOf(error));
      if (error instanceof TaskCancelledError) signal?.throwIfAborted();
      if (error instanceof BrokenCircuitError) throw circuitOpen(upstream, error);
      throw error;
    }
  };

  const once: Attempt = (work, signal, attempt = 1) =>
    withSpan(callSpan({ upstream, host, attempt }), () => attempted(work, signal));

  return {
    once: (work, signal) => once(work, signal),
    run: (work, signal) => {
      let last: unknown;
      return execute(
        retrying,
        async (attempt) => {
          // Wait here, not in the policy: the policy's wait cannot be aborted.
          if (attempt > 0)
            await sleep(pauseAfter(last, attempt), signal).catch(() => signal?.throwIfAborted());
          return await once(work, signal, attempt + 1).catch((error: unknown) => {
            last = error;
            throw error;
          });
        },
        signal,
      );
    },
  };
}

/**
 * Hides the failure of an aborted call from the breaker: callers who leave must not open it for everybody.
 */
class GivenUp {
  readonly failure: unknown;

  constructor(failure: unknown) {
    this.failure = failure;
  }
}

const orGivenUp = (signal?: AbortSignal) => (failure: unknown) => {
  throw signal?.aborted ? new GivenUp(failure) : failure;
};

function outcomeOf(error: unknown): string {
  if (error instanceof BrokenCircuitError) return 'CIRCUIT_OPEN';
  return error instanceof UpstreamError ? error.code : 'REFUSED';
}

function execute<T>(
  policy: IPolicy,
  work: (attempt: number) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return policy.execute((context) => work('attempt' in context ? Number(context.attempt) : 0), signal);
}

/** Whether a call failed without being sent, because the breaker was open. */
export const isCircuitOpen = (error: unknown): boolean =>
  error instanceof UpstreamError && error.cause instanceof BrokenCircuitError;

function pauseAfter(error: unknown, attempt: number): number {
  const asked = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(asked, backoff(attempt - 1, pause));
}

function circuitOpen(upstream: Upstream, cause: Error): UpstreamError {
  return new UpstreamError(
    {
      code: 'UPSTREAM_UNAVAILABLE',
      message: `${upstreamName(upstream)} has been failing and is given a moment. Try again in a few seconds.`,
    },
    { upstream, maybeProcessed: false, retryAfterMs: halfOpenAfterMs },
    { cause },
  );
}
