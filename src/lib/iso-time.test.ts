import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('isoTime returns the same as toISOString, in any year', () => {
  const edges = [0, -1, 1, 999, 1_000, 59_999, 60_000, 86_399_999, 86_400_000, -86_400_000, -86_400_001];
  // The first and last times that a Date can have, and those around the years 0 and 10,000.
  const far = [8.64e15, -8.64e15, Date.UTC(-1, 11, 31), Date.UTC(10_000, 0, 1) - 1, Date.UTC(10_000, 0, 1)];
  const spread = Array.from({ length: 20_000 }, (_, i) => Math.trunc((i - 10_000) * 863_999_999.137));
  for (const time of [...edges, ...far, ...spread]) {
    const date = new Date(time);
    expect(isoTime(date)).toBe(date.toISOString());
    // The second call takes the day from the cache.
    expect(isoTime(date)).toBe(date.toISOString());
  }
});

test('isoTime refuses an invalid date, as toISOString does', () => {
  expect(() => isoTime(new Date(Number.NaN))).toThrow(RangeError);
});
