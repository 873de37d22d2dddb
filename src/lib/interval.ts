import { sleep } from '@srr-gateway/common/time';

/**
 * Runs `task` now, and again `everyMs` after each end. `stop` aborts the task's signal and waits for its end.
 * The task must handle its errors: an exception ends the interval.
 */
export function startInterval(
  everyMs: number,
  task: (signal: AbortSignal) => Promise<void>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await task(signal);
      await sleep(everyMs, signal).catch(() => {});
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}
