import { setTimeout as sleep } from 'node:timers/promises';

const minuteMs = 60_000;

/**
 * Budgets of callers start again with each minute of the clock. Waits for the next minute if this one may end
 * within a test that uses up a budget.
 */
export async function waitForFreshMinute(ms = 10_000): Promise<void> {
  const leftMs = minuteMs - (Date.now() % minuteMs);
  if (leftMs < ms) await sleep(leftMs + 10);
}
