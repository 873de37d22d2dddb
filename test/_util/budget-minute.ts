import { setTimeout as sleep } from 'node:timers/promises';

const minuteMs = 60_000;

/**
 * Budgets of callers are by the minute of the clock. Waits for the next one if this one ends before a test that
 * uses one up may have ended.
 */
export async function enoughOfTheMinute(ms = 10_000): Promise<void> {
  const leftMs = minuteMs - (Date.now() % minuteMs);
  if (leftMs < ms) await sleep(leftMs + 10);
}
