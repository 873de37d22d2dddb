import { expect, it } from 'vitest';
import { nextRetry, onFailure, outcomeOf } from './schedule.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
/** The default settings. */
const times = {
  holdMs: 5 * minute,
  retryFirstMs: 5 * second,
  retryForMs: 3 * day,
  failingAfterMs: hour,
  disableAfterMs: 5 * day,
} as Parameters<typeof onFailure>[2];

it.each([
  [200, 'ACCEPTED'],
  [299, 'ACCEPTED'],
  [302, 'UNANSWERED'],
  [400, 'REFUSED'],
  [408, 'UNANSWERED'],
  [410, 'GONE'],
  [425, 'UNANSWERED'],
  [429, 'UNANSWERED'],
  [499, 'REFUSED'],
  [500, 'UNANSWERED'],
  [null, 'UNANSWERED'],
])('the response status %s means %s', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});

const first = { attempts: 1, failingForMs: 0, heldForMs: 0, retryAfterMs: undefined };
const long = { ...first, attempts: 50 };

it.each([
  ['one missing response', 'UNANSWERED', first, 'ENABLED', false, [2.5 * second, 5 * second]],
  ['the fiftieth missing response', 'UNANSWERED', long, 'ENABLED', false, [5 * minute, 10 * minute]],
  [
    'an hour without responses',
    'UNANSWERED',
    { ...long, failingForMs: hour },
    'FAILING',
    false,
    [hour / 2, hour],
  ],
  ['missing responses for the hold time', 'UNANSWERED', { ...first, heldForMs: 5 * minute }, 'ENABLED', true],
  ['one refusal', 'REFUSED', first, 'ENABLED', true, [0, 0]],
  ['a second refusal', 'REFUSED', { ...first, attempts: 2 }, 'ENABLED', true, [0, 0]],
  ['a third refusal', 'REFUSED', { ...first, attempts: 3 }, 'ENABLED', true, [10 * second, 20 * second]],
  ['a 410', 'GONE', first, 'DISABLED', false, [0, 0]],
  [
    'one missing response after five days without events',
    'UNANSWERED',
    { ...first, failingForMs: 5 * day },
    'FAILING',
    false,
  ],
  [
    'five days without responses',
    'UNANSWERED',
    { ...long, failingForMs: 5 * day, heldForMs: day },
    'DISABLED',
    false,
  ],
  [
    'one refusal after five days without events',
    'REFUSED',
    { ...first, failingForMs: 5 * day },
    'FAILING',
    true,
    [0, 0],
  ],
  ['five days of refusals', 'REFUSED', { ...long, failingForMs: 5 * day }, 'DISABLED', false],
  [
    'a Retry-After of a minute',
    'UNANSWERED',
    { ...first, retryAfterMs: minute },
    'ENABLED',
    false,
    [minute, minute],
  ],
  [
    'a Retry-After of days',
    'UNANSWERED',
    { ...first, retryAfterMs: 3 * day },
    'ENABLED',
    false,
    [hour, hour],
  ],
] as const)(
  'an endpoint after %s',
  (_what, outcome, failed, status, setAside, pause: readonly number[] = []) => {
    const failure = onFailure(outcome, failed, times);
    expect(failure).toMatchObject({ status, setAside });
    const [least = 0, most = hour] = pause;
    expect(failure.pauseMs).toBeGreaterThanOrEqual(least);
    expect(failure.pauseMs).toBeLessThanOrEqual(most);
  },
);

it('an endpoint is disabled after its time limit even if the hold time is longer', () => {
  const failed = { ...first, failingForMs: minute, heldForMs: minute };
  expect(onFailure('UNANSWERED', failed, { ...times, disableAfterMs: minute }).status).toBe('DISABLED');
});

it.each([
  ['its first attempt', { attempts: 1, retriedForMs: 0 }, [2.5 * second, 5 * second]],
  ['many attempts', { attempts: 50, retriedForMs: day }, [3 * hour, 6 * hour]],
  ['a Retry-After of a minute', { attempts: 1, retriedForMs: 0, retryAfterMs: minute }, [minute, minute]],
  ['a Retry-After of days', { attempts: 1, retriedForMs: 0, retryAfterMs: 3 * day }, [hour, hour]],
] as const)('a delivery that was set aside is sent again after %s', (_what, retried, [least, most]) => {
  const pauseMs = nextRetry(retried, times);
  expect(pauseMs).toBeGreaterThanOrEqual(least);
  expect(pauseMs).toBeLessThanOrEqual(most);
});

it('a delivery that was set aside is not retried any more after its time limit', () => {
  expect(nextRetry({ attempts: 2, retriedForMs: 3 * day }, times)).toBeUndefined();
});
