import type { GatewayError } from './gateway-error.ts';

/** A retry that is about to happen. */
export interface Retry {
  error: GatewayError;
  /** The first retry is 1. */
  attempt: number;
  waitMs: number;
}

/** Options of calls that are retried. */
export interface RetryOptions {
  /**
   * How long to retry, from the first failure on, before the error is thrown. The default, two minutes, covers a
   * restart of the gateway.
   */
  retryForMs?: number | undefined;
  /** Called before each pause, for a log or a message. */
  onRetry?: ((retry: Retry) => unknown) | undefined;
  signal?: AbortSignal | undefined;
}

/** Repeats a call until it succeeds, fails for good, or the time is up. */
export async function retrying<T>(
  mayRepeat: (error: unknown) => error is GatewayError,
  call: () => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  for (const retries = new Retries(options); ; ) {
    try {
      return await call();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      await retries.wait(error);
    }
  }
}

/** Pauses after consecutive failures, until the time is up. */
export class Retries {
  readonly #options: RetryOptions;
  #attempt = 0;
  /** Counted from the first failure: an upload may run for longer before its connection breaks. */
  #giveUpAt: number | undefined;

  constructor(options: RetryOptions) {
    assertSignal(options.signal);
    assertMs('retryForMs', options.retryForMs);
    this.#options = options;
  }

  /** Waits before the next try. @throws the error when the time is up */
  async wait(error: GatewayError): Promise<void> {
    const { retryForMs = 120_000, onRetry, signal } = this.#options;
    const waitMs = waitFor(error, ++this.#attempt);
    this.#giveUpAt ??= Date.now() + retryForMs;
    if (Date.now() + waitMs > this.#giveUpAt) throw error;
    onRetry?.({ error, attempt: this.#attempt, waitMs });
    await pause(waitMs, signal);
  }

  /** Starts over: the next failure counts as the first. */
  succeeded(): void {
    this.#attempt = 0;
    this.#giveUpAt = undefined;
  }
}

/** The longest delay of a timer: with a longer one it would fire at once. */
export const longestMs = 2 ** 31 - 1;

/**
 * The pause before a retry in ms: exponential backoff with jitter, from a quarter of a second to 5 s, or `retry-after`
 * if that is longer. Backoff is the minimum, because a server that is down may send `retry-after: 0` again and again.
 */
export function waitFor({ retryAfter = 0 }: GatewayError, attempt: number): number {
  const backoffMs = Math.min(5_000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.min(longestMs, Math.max(backoffMs, retryAfter * 1000));
}

/** Refuses text and NaN, with which a wait would never end. @throws TypeError */
export function assertMs(name: string, ms: unknown): void {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0))
    throw new TypeError(`${name} must be a number of milliseconds.`);
}

/** Refuses a controller in the place of its signal, which would fail late, inside the platform. @throws TypeError */
export function assertSignal(signal: unknown): void {
  if (signal != null && typeof (signal as AbortSignal).throwIfAborted !== 'function')
    throw new TypeError('signal must be an AbortSignal, such as `controller.signal`.');
}

/** Waits. Rejects with the signal's reason when it aborts. */
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
