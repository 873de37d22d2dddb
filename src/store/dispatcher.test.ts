import { describe, expect, it } from 'vitest';
import { Dispatcher, type TakenJob } from './dispatcher.ts';

/** A queue in memory, of jobs that end when they are told to. */
function setUp(limits: { places: number; perOwner: number }) {
  const waiting: { owner: string; name: string }[] = [];
  const running = new Map<string, PromiseWithResolvers<void>>();
  const errors: unknown[] = [];
  let looks = 0;
  const take = async (busy: string[]): Promise<TakenJob | undefined> => {
    looks += 1;
    const at = waiting.findIndex(({ owner }) => !busy.includes(owner));
    const [job] = at < 0 ? [] : waiting.splice(at, 1);
    if (!job) return undefined;
    const ended = Promise.withResolvers<void>();
    running.set(job.name, ended);
    return { owner: job.owner, run: () => ended.promise.finally(() => running.delete(job.name)) };
  };
  const dispatcher = new Dispatcher({ ...limits, take, onError: (error) => errors.push(error) });
  return {
    dispatcher,
    errors,
    running,
    add: (...jobs: string[]) => waiting.push(...jobs.map((name) => ({ owner: name.charAt(0), name }))),
    looks: () => looks,
    names: () => [...running.keys()],
    end: (name: string) => running.get(name)?.resolve(),
  };
}

describe('a dispatcher', () => {
  it('runs as many jobs as there are places, and the next one when a place is free', async () => {
    const queue = setUp({ places: 2, perOwner: 2 });
    queue.add('a1', 'b1', 'c1');
    queue.dispatcher.wake();
    await expect.poll(queue.names).toEqual(['a1', 'b1']);
    queue.end('a1');
    await expect.poll(queue.names).toEqual(['b1', 'c1']);
  });

  it('passes over the jobs of an owner who has enough of them running', async () => {
    const queue = setUp({ places: 3, perOwner: 2 });
    queue.add('a1', 'a2', 'a3', 'b1');
    queue.dispatcher.wake();
    await expect.poll(queue.names).toEqual(['a1', 'a2', 'b1']);
    queue.end('a1');
    await expect.poll(queue.names).toEqual(['a2', 'b1', 'a3']);
  });

  it('looks once for each job and once more, however often it is woken', async () => {
    const queue = setUp({ places: 16, perOwner: 16 });
    queue.add('a1', 'b1');
    for (let i = 0; i < 100; i += 1) queue.dispatcher.wake();
    await expect.poll(queue.names).toEqual(['a1', 'b1']);
    expect(queue.looks()).toBeLessThanOrEqual(4);
  });

  it('goes on after a job that failed', async () => {
    const queue = setUp({ places: 1, perOwner: 1 });
    queue.add('a1', 'a2');
    queue.dispatcher.wake();
    await expect.poll(queue.names).toEqual(['a1']);
    const fault = new Error('a fault');
    queue.running.get('a1')?.reject(fault);
    await expect.poll(queue.names).toEqual(['a2']);
    expect(queue.errors).toEqual([fault]);
  });

  it('that is stopped takes nothing more, and waits for what runs', async () => {
    const queue = setUp({ places: 1, perOwner: 1 });
    queue.add('a1', 'a2');
    queue.dispatcher.wake();
    await expect.poll(queue.names).toEqual(['a1']);
    const stopped = queue.dispatcher.stop();
    queue.end('a1');
    await stopped;
    queue.dispatcher.wake();
    await queue.dispatcher.stop();
    expect(queue.names()).toEqual([]);
  });
});
