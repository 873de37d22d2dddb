import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`; rejects with the signal's reason when it is aborted first. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal });
}

/** Exponential backoff with full jitter below the cap: many waiters do not wake together. */
export function backoff(attempt: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number {
  const ceiling = Math.min(maxMs, firstMs * 2 ** attempt);
  return ceiling / 2 + Math.random() * (ceiling / 2);
}
