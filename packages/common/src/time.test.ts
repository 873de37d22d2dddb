import { expect, it } from 'vitest';
import { backoff, withTimeout } from './time.ts';

const never = new Promise<string>(() => {});

it('returns a value that comes in time, and rethrows its error', async () => {
  expect(await withTimeout(Promise.resolve('value'), 60_000)).toBe('value');
  await expect(withTimeout(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
});

it('returns undefined when the time is over or the signal is aborted', async () => {
  expect(await withTimeout(never, 1)).toBeUndefined();
  expect(await withTimeout(never, 60_000, AbortSignal.abort())).toBeUndefined();
});

it('leaves no timer and no unhandled rejection', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await withTimeout(Promise.resolve(), 60_000);
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
  const failing = Promise.withResolvers<string>();
  expect(await withTimeout(failing.promise, 1)).toBeUndefined();
  // Vitest fails the run on an unhandled rejection.
  failing.reject(new Error('late'));
});

it('backs off for at least half of the time that doubles with each attempt', () => {
  for (const [attempt, ceiling] of [100, 200, 400, 500, 500].entries())
    for (let i = 0; i < 50; i++) {
      const pause = backoff(attempt, { firstMs: 100, maxMs: 500 });
      expect(pause).toBeGreaterThanOrEqual(ceiling / 2);
      expect(pause).toBeLessThanOrEqual(ceiling);
    }
});
