import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { type ErrorCode, UpstreamError } from '../model/errors.ts';
import { createResilience } from './resilience.ts';

const failure = (more: { code?: ErrorCode; status?: number | undefined; retryAfterMs?: number } = {}) => {
  const { code = 'UPSTREAM_UNAVAILABLE', ...rest } = more;
  return new UpstreamError(
    { code, message: 'no whole answer came' },
    { upstream: 'COMMERCE', maybeProcessed: true, ...rest },
  );
};

const guard = (log = silent, retries = 0) =>
  createResilience({ upstream: 'COMMERCE', log, host: 'service.example', retries });

it('the breaker opens after five failures, and lets no call through while it is open', async () => {
  const { once } = guard();
  for (let n = 0; n < 5; n++)
    await expect(once(() => Promise.reject(failure()))).rejects.toThrow('no whole answer came');
  await expect(once(async () => 'asked')).rejects.toMatchObject({
    message: expect.stringContaining('has failed repeatedly'),
    maybeProcessed: false,
    retryAfterMs: 5_000,
  });
  const reason = new Error('left');
  await expect(once(async () => 'asked', AbortSignal.abort(reason))).rejects.toBe(reason);
});

it.each([
  [undefined, true],
  [302, true],
  [400, false],
  [429, false],
  [500, true],
])('the breaker counts status %s as a failure: %s', async (status, opens) => {
  const { once } = guard();
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure({ status })))).rejects.toThrow();
  const next = once(async () => 'asked');
  await (opens ? expect(next).rejects.toThrow('has failed repeatedly') : expect(next).resolves.toBe('asked'));
});

it.each<[ErrorCode, number, number]>([
  ['UPSTREAM_UNAVAILABLE', 0, 3],
  ['UPSTREAM_TIMEOUT', 0, 3],
  ['RATE_LIMITED', 300, 3],
  ['RATE_LIMITED', 5_001, 1],
  ['UPSTREAM_BAD_RESPONSE', 0, 1],
])('after %s with a Retry-After of %i ms there are %i calls', async (code, retryAfterMs, calls) => {
  const { run } = guard(silent, 2);
  const calledAt: number[] = [];
  const work = async () => {
    calledAt.push(performance.now());
    throw failure({ code, status: 500, retryAfterMs });
  };
  await expect(run(work)).rejects.toMatchObject({ code });
  expect(calledAt).toHaveLength(calls);
  // A timer may fire a millisecond early.
  for (const [n, at] of calledAt.slice(1).entries())
    expect(at - (calledAt[n] as number)).toBeGreaterThan(retryAfterMs - 2);
});

it('a call is not retried while the breaker is open, nor after its caller has disconnected', async () => {
  const { run } = guard(silent, 9);
  let calls = 0;
  const work = async () => {
    calls++;
    throw failure();
  };
  await expect(run(work)).rejects.toThrow('has failed repeatedly');
  expect(calls).toBe(5);
  const leaving = new AbortController();
  const left = guard(silent, 2).run(async () => {
    leaving.abort();
    throw failure();
  }, leaving.signal);
  await expect(left).rejects.toThrow('no whole answer came');
});

it('a caller that disconnects while it waits for a trial call causes no call', async () => {
  const { once } = guard();
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  vi.advanceTimersByTime(5_000);
  const trial = Promise.withResolvers<string>();
  const first = once(() => trial.promise);
  const leaving = new AbortController();
  let calls = 0;
  const second = once(async () => ++calls, leaving.signal);
  leaving.abort(new Error('left'));
  trial.resolve('back');
  expect(await first).toBe('back');
  await expect(second).rejects.toThrow('left');
  expect(calls).toBe(0);
});

it('failures after the caller has disconnected are thrown unchanged, and not counted', async () => {
  const { once } = guard();
  for (let n = 0; n < 8; n++) {
    const leaving = new AbortController();
    const given = once(async () => {
      leaving.abort();
      throw failure();
    }, leaving.signal);
    await expect(given).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', maybeProcessed: true });
  }
  expect(await once(async () => 'asked')).toBe('asked');
});

it('a trial whose caller disconnects does not close the breaker; the next call is the trial', async () => {
  const { once, isOnTrial } = guard();
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  vi.advanceTimersByTime(5_000);
  const leaving = new AbortController();
  const left = once(async (signal) => {
    leaving.abort(new Error('left'));
    signal?.throwIfAborted();
  }, leaving.signal);
  await expect(left).rejects.toThrow('left');
  const onTrial = once(async () => {
    await Promise.resolve();
    return isOnTrial();
  });
  expect(await onTrial).toBe(true);
  expect(isOnTrial()).toBe(false);
});

it('the breaker closes after some seconds, even if the clock is set back by an hour', async () => {
  const { once } = guard();
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  vi.setSystemTime(Date.now() - 3_600_000);
  await expect(once(async () => 'asked')).rejects.toThrow('has failed repeatedly');
  vi.advanceTimersByTime(5_000);
  expect(await once(async () => 'asked')).toBe('asked');
});

it('an outage has one line in the log when it begins, with the reason, and one when it ends', async () => {
  const { log, lines } = capturedLog();
  const { once } = guard(log);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const logged = () => lines().filter(({ level }) => Number(level) >= 30);
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  for (let trial = 0; trial < 3; trial++) {
    vi.advanceTimersByTime(5_000);
    await expect(once(() => Promise.reject(failure()))).rejects.toThrow('no whole answer came');
  }
  const where = { upstream: 'COMMERCE', host: 'service.example' };
  const opened = { level: 40, ...where, err: { message: 'no whole answer came' } };
  expect(logged()).toMatchObject([opened]);
  vi.advanceTimersByTime(5_000);
  await once(async () => 'asked');
  expect(logged()).toMatchObject([opened, { level: 30, ...where }]);
});
