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
      options.signal?.throwIfAborted();
      if (!mayRepeat(error)) throw error;
      await retries.wait(error);
    }
  }
}

/** The pauses after failures in a row, until the time is up. */
export class Retries {
  readonly #options: RetryOptions;
  #attempt = 0;
  /** Counted from the first failure: an upload may have taken longer before its connection broke. */
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

  /** Resets the count of failures. */
  succeeded(): void {
    this.#attempt = 0;
    this.#giveUpAt = undefined;
  }
}

/** A timer cannot wait longer: it would fire at once. */
export const longestMs = 2 ** 31 - 1;

/**
 * The pause before a retry in ms: a random one that grows from a quarter of a second to 5 s, so that clients do not
 * retry together, or `retry-after` if that is longer: a server that is down may say 0 repeatedly.
 */
export function waitFor({ retryAfter = 0 }: GatewayError, attempt: number): number {
  const ownMs = Math.min(5_000, 250 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
  return Math.min(longestMs, Math.max(ownMs, retryAfter * 1000));
}

/** A text or NaN would wait for ever. @throws TypeError */
export function assertMs(name: string, ms: unknown): void {
  if (ms !== undefined && !(typeof ms === 'number' && ms >= 0))
    throw new TypeError(`${name} must be a number of milliseconds.`);
}

/** A controller passed instead of its signal would fail late, inside the platform. @throws TypeError */
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
