import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { UpstreamError } from '../model/errors.ts';
import { createResilience } from './resilience.ts';

const failure = () =>
  new UpstreamError(
    { code: 'UPSTREAM_UNAVAILABLE', message: 'no whole answer came' },
    { upstream: 'COMMERCE', maybeProcessed: true },
  );

const guard = (log = silent) =>
  createResilience({ upstream: 'COMMERCE', log, host: 'service.example', retries: 0 });

it('opens after five failures, and asks nothing while it is open', async () => {
  const { once } = guard();
  for (let n = 0; n < 5; n++)
    await expect(once(() => Promise.reject(failure()))).rejects.toThrow('no whole answer came');
  await expect(once(async () => 'asked')).rejects.toMatchObject({
    message: expect.stringContaining('has failed repeatedly'),
    maybeProcessed: false,
  });
});

it('is not opened by callers who leave in the middle, who are told the failure itself', async () => {
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

it('is not closed by a caller who leaves before its trial has ended: the next call is the trial', async () => {
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

it('closes after some seconds, also when the clock was set back by an hour', async () => {
  const { once } = guard();
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  vi.setSystemTime(Date.now() - 3_600_000);
  await expect(once(async () => 'asked')).rejects.toThrow('has failed repeatedly');
  vi.advanceTimersByTime(5_000);
  expect(await once(async () => 'asked')).toBe('asked');
});

it('logs one line when an outage begins, with its reason, and one when it ends', async () => {
  const { log, lines } = capturedLog();
  const { once } = guard(log);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told = () => lines().filter(({ level }) => Number(level) >= 30);
  for (let n = 0; n < 5; n++) await expect(once(() => Promise.reject(failure()))).rejects.toThrow();
  for (let trial = 0; trial < 3; trial++) {
    vi.advanceTimersByTime(5_000);
    await expect(once(() => Promise.reject(failure()))).rejects.toThrow('no whole answer came');
  }
  const where = { upstream: 'COMMERCE', host: 'service.example' };
  const opened = { level: 40, ...where, err: { message: 'no whole answer came' } };
  expect(told()).toMatchObject([opened]);
  vi.advanceTimersByTime(5_000);
  await once(async () => 'asked');
  expect(told()).toMatchObject([opened, { level: 30, ...where }]);
});
