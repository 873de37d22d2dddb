import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`. @throws AbortError, whose `cause` is the signal's reason, when it is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal });
}

/**
 * The value of `work`, or undefined when it takes longer than `ms` or the signal aborts first. In that case
 * `work` continues. @throws what `work` throws in time.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  const limit = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  const late = sleep(ms, limit).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

/**
 * The pause in ms after failed attempt number `attempt`, counted from 0: between half and all of `firstMs * 2
 * ** attempt`, capped at `maxMs`. Random, so that many waiters do not retry together.
 */
export function backoff(attempt: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** attempt);
  return ceiling / 2 + Math.random() * (ceiling / 2);
}
