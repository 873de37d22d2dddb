import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it, vi } from 'vitest';
import { startWorkerPool } from './worker-pool.ts';

const log = createLogger({ level: 'silent', name: 'test' });

/** Workers over a list in memory, from which an item is removed when it is done. */
function workersOn(todo: string[], run: (item: string) => Promise<void>, concurrency = 2) {
  const remove = (item: string) => todo.splice(todo.indexOf(item), 1);
  return startWorkerPool<string>({
    name: 'test',
    log,
    concurrency,
    idOf: (item) => item,
    find: async (limit) => ({ items: todo.slice(0, limit) }),
    run: async (item) => {
      await run(item);
      remove(item);
    },
  });
}

describe('workers', () => {
  it('process every item once, within the limit of concurrency', async () => {
    const todo = ['a', 'b', 'c', 'd', 'e'];
    const done: string[] = [];
    let atOnce = 0;
    let most = 0;
    const workers = workersOn(todo, async (item) => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      done.push(item);
    });
    await expect.poll(() => done).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(most).toBe(2);
    await workers.stop();
  });

  it('sleep until they are woken', async () => {
    const todo: string[] = [];
    const run = vi.fn(async () => {});
    const workers = workersOn(todo, run);
    await new Promise((resolve) => setTimeout(resolve, 20));
    todo.push('late');
    workers.wake();
    await expect.poll(() => run.mock.calls).toEqual([['late']]);
    await workers.stop();
  });

  it('retry failed items, and process the rest meanwhile', async () => {
    const todo = ['bad', 'good'];
    const seen: string[] = [];
    const workers = workersOn(todo, async (item) => {
      seen.push(item);
      if (item === 'bad' && seen.length === 1) throw new Error('once');
    });
    await expect.poll(() => seen, { timeout: 5_000 }).toEqual(['bad', 'good', 'bad']);
    await workers.stop();
  });

  it('process other items while as many items as the limit fail repeatedly', async () => {
    const todo = ['bad', 'worse', 'good'];
    const seen: string[] = [];
    const workers = workersOn(todo, async (item) => {
      seen.push(item);
      if (item !== 'good') throw new Error('always');
    });
    await expect.poll(() => seen).toContain('good');
    await expect.poll(() => seen.filter((item) => item === 'bad').length, { timeout: 5_000 }).toBe(2);
    await workers.stop();
  });

  it('poll again when an item becomes due', async () => {
    const due = Date.now() + 60;
    const run = vi.fn(async () => {});
    const workers = startWorkerPool<string>({
      name: 'test',
      log,
      concurrency: 1,
      idOf: (item) => item,
      find: async () => {
        const inMs = due - Date.now();
        return inMs > 0 || run.mock.calls.length > 0 ? { items: [], nextInMs: inMs } : { items: ['due'] };
      },
      run,
    });
    await expect.poll(() => run.mock.calls.length).toBe(1);
    await workers.stop();
  });

  it('finish running items before they stop', async () => {
    const gate = Promise.withResolvers<void>();
    const workers = workersOn(['slow'], () => gate.promise);
    await new Promise((resolve) => setTimeout(resolve, 10));
    let stopped = false;
    const stopping = workers.stop().then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(stopped).toBe(false);
    gate.resolve();
    await stopping;
  });
});
