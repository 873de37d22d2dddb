import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createRunsByObject, createSingleFlight } from './single-flight.ts';

describe('a run that members share', () => {
  /** Members that share runs on one object under one key, and the signals of the runs that have started. */
  function members() {
    const runs = createRunsByObject<string>();
    const object = {};
    const started: { signal: AbortSignal; finish(result: string): void }[] = [];
    const work = (signal: AbortSignal) => new Promise<string>((finish) => started.push({ signal, finish }));
    const member = () => {
      const left = new AbortController();
      const take = runs.member('key', left.signal);
      return { take: () => take(object, work), leave: () => left.abort(new Error('left')) };
    };
    return { started, member };
  }

  it('starts once for all members', async () => {
    const { started, member } = members();
    const results = [member().take(), member().take()];
    started[0]?.finish('done');
    expect(await Promise.all([...results, member().take()])).toEqual(['done', 'done', 'done']);
    expect(started).toHaveLength(1);
  });

  it('is aborted when the last member leaves, and starts again for the next one', () => {
    const { started, member } = members();
    const [a, b] = [member(), member()];
    void a.take();
    void b.take();
    a.leave();
    expect(started[0]?.signal.aborted).toBe(false);
    b.leave();
    expect(started[0]?.signal.aborted).toBe(true);
    void member().take();
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  });

  it('is neither started nor kept running by a member that has already left', async () => {
    const { started, member } = members();
    const [gone, stays] = [member(), member()];
    gone.leave();
    await expect(gone.take()).rejects.toThrow('left');
    expect(started).toHaveLength(0);
    void stays.take();
    await expect(gone.take()).rejects.toThrow('left');
    stays.leave();
    expect(started[0]?.signal.aborted).toBe(true);
  });
});

it('a caller that has already left neither starts work nor keeps it running', async () => {
  const group = createSingleFlight<string>();
  const signals: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>(() => {});
  };
  const gone = AbortSignal.abort(new Error('left'));
  await expect(group.join('key', work, gone)).rejects.toThrow('left');
  expect(signals).toEqual([]);
  const caller = new AbortController();
  const waiting = group.join('key', work, caller.signal);
  await expect(group.join('key', work, gone)).rejects.toThrow('left');
  caller.abort(new Error('left too'));
  await expect(waiting).rejects.toThrow('left too');
  void group.join('key', work);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

it('a caller that has its result is not listened to any more', async () => {
  const { signal } = new AbortController();
  expect(await createSingleFlight<string>().join('key', async () => 'done', signal)).toBe('done');
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
});
