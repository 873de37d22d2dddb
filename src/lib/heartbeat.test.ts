import { expect, it, onTestFinished, vi } from 'vitest';
import { startHeartbeat } from './heartbeat.ts';

it('connections that were opened together have their heartbeats at different times', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const times: number[] = [];
  const hearts = Array.from({ length: 1_000 }, () => startHeartbeat(() => times.push(Date.now())));
  const startedAt = Date.now();
  vi.advanceTimersByTime(12_000);
  expect(times.length).toBeGreaterThanOrEqual(1_000);
  const perTenth = Map.groupBy(times, (at) => Math.floor((at - startedAt) / 100));
  // An even spread has 25 heartbeats in each tenth of a second.
  expect(Math.max(...[...perTenth.values()].map((some) => some.length))).toBeLessThan(100);
  for (const heart of hearts) heart.stop();
  vi.advanceTimersByTime(12_000);
  expect(times.filter((at) => at - startedAt > 12_000)).toEqual([]);
});
