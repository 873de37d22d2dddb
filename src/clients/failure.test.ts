import { expect, it } from 'vitest';
import { retryAfterMs } from './failure.ts';

it.each([
  ['7', {}, 7_000],
  ['Thu, 01 Jan 2026 00:00:07 GMT', { date: 'Thu, 01 Jan 2026 00:00:02 GMT' }, 5_000],
  ['Thu, 01 Jan 2026 00:00:07 GMT', { date: 'Thu, 01 Jan 2026 00:00:09 GMT' }, 0],
  ['soon', {}, undefined],
])('Retry-After "%s" is relative to the clock of the sender: %o', (text, headers, ms) => {
  expect(retryAfterMs({ 'retry-after': text, ...headers })).toBe(ms);
});
