import { expect, it, vi } from 'vitest';
import { startHeartbeat } from './heartbeat.ts';

it('beats at different times on connections that were opened together', () => {
  vi.useFakeTimers();
  const times: number[] = [];
  const hearts = Array.from({ length: 1_000 }, () => startHeartbeat(() => times.push(Date.now())));
  const startedAt = Date.now();
  vi.advanceTimersByTime(12_000);
  expect(times.length).toBeGreaterThanOrEqual(1_000);
  const perTenth = Map.groupBy(times, (at) => Math.floor((at - startedAt) / 100));
  // Evenly spread there are 25 in a tenth of a second.
  expect(Math.max(...[...perTenth.values()].map((some) => some.length))).toBeLessThan(100);
  for (const heart of hearts) heart.stop();
  vi.advanceTimersByTime(12_000);
  expect(times.filter((at) => at - startedAt > 12_000)).toEqual([]);
  vi.useRealTimers();
});
