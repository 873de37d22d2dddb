import type { GatewayError } from './gateway-error.ts';

export interface Retry {
  error: GatewayError;
  /** The first retry is 1. */
  attempt: number;
  waitMs: number;
}

export interface RetryOptions {
  /** How long a call is made again before its error is thrown: two minutes cover a restart of the gateway. */
  retryForMs?: number;
  /** Called before each wait, for a log or for people. */
  onRetry?: (retry: Retry) => unknown;
  signal?: AbortSignal | undefined;
}

/** Makes a call until it succeeds, fails for good, or time is up. */
export async function retrying<T>(
  mayRepeat: (error: unknown) => error is GatewayError,
  call: () => Promise<T>,
  { retryForMs = 120_000, onRetry, signal }: RetryOptions,
): Promise<T> {
  const giveUpAt = Date.now() + retryForMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayRepeat(error)) throw error;
      const waitMs = waitFor(error, attempt);
      if (Date.now() + waitMs > giveUpAt) throw error;
      onRetry?.({ error, attempt, waitMs });
      await pause(waitMs, signal);
    }
  }
}

/** What the gateway asks for; else from a quarter of a second up to 5 s, so that clients do not come at once. */
export const waitFor = (error: GatewayError, attempt: number): number =>
  error.retryAfter === undefined
    ? Math.min(5_000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
    : error.retryAfter * 1000;

/** Rejects with the signal's reason when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
