import { expect, it } from 'vitest';
import { withTimeout } from './time.ts';

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
