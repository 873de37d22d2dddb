import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { sleep, withTimeout } from '@srr-gateway/common/time';

/** The items that are due now, oldest first, and when to look again unless the workers are woken before. */
export interface Work<T> {
  items: T[];
  nextInMs?: number | undefined;
}

/** How a group of workers finds and processes its items. */
interface WorkerPoolOptions<T> {
  name: string;
  log: Logger;
  /** How many items run at once. */
  concurrency: number;
  /** Finds up to `limit` items. It may return items that are running already. */
  find(limit: number): Promise<Work<T>>;
  idOf(item: T): string;
  /** Processes one item. If it throws, the error is logged and the item is retried after a pause. */
  run(item: T): Promise<void>;
}

/** Running workers. */
export interface WorkerPool {
  /** Makes the workers look for items at once. */
  wake(): void;
  /** Starts no more items, and waits up to one second for those that run. */
  stop(): Promise<void>;
}

/** A fault of the database or the chain rarely passes sooner; a longer pause would prolong a short fault. */
const pauseAfterFaultMs = 500;
/** Items are durable, so a stop need not wait for them. A short wait only avoids repeating most of them. */
const longestStopMs = 1_000;
/** `setTimeout` overflows at 2^31 ms, so the workers look again at least once an hour. */
const longestWaitMs = 3_600_000;

/**
 * Processes durable items, which are rows of the database. The process may die at any time, and the next one
 * finds the same item again, so `run` must be idempotent.
 */
export function startWorkerPool<T>(options: WorkerPoolOptions<T>): WorkerPool {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let woken = Promise.withResolvers<void>();

  const wake = () => woken.resolve();
  const log = options.log.child({ worker: options.name });
  const looking = new OutageLog(log, 'looking for work failed; trying again');
  /** Items that have just failed and wait for a retry. They take no slot, or two of them could block all others. */
  const resting = new Set<string>();
  /** The ids of items that failed the last time. Their further failures are logged at debug level only. */
  const failing = new Set<string>();

  function start(item: T): void {
    const id = options.idOf(item);
    if (running.has(id) || resting.has(id) || running.size >= options.concurrency) return;
    const done = options
      .run(item)
      .then(() => void failing.delete(id))
      .catch((error) => {
        // An item that a stop interrupted is not a fault: the next process repeats it.
        if (stopping.signal.aborted) return;
        log[failing.has(id) ? 'debug' : 'error']({ err: error, item: id }, 'work failed; trying again');
        failing.add(id);
        void rest(id);
      })
      .finally(() => {
        running.delete(id);
        wake();
      });
    running.set(id, done);
  }

  async function rest(id: string): Promise<void> {
    resting.add(id);
    await sleep(pauseAfterFaultMs, stopping.signal).catch(() => {});
    resting.delete(id);
    wake();
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = Promise.withResolvers();
      let waitMs = longestWaitMs;
      try {
        const { items, nextInMs } = await options.find(options.concurrency + running.size + resting.size);
        looking.succeeded();
        if (stopping.signal.aborted) break;
        for (const item of items) start(item);
        waitMs = Math.min(longestWaitMs, Math.max(0, nextInMs ?? longestWaitMs));
      } catch (error) {
        looking.failed(error);
        waitMs = pauseAfterFaultMs;
      }
      await wokenOrAfter(waitMs);
    }
  }

  async function wokenOrAfter(ms: number): Promise<void> {
    const timer = setTimeout(wake, ms);
    await woken.promise;
    clearTimeout(timer);
  }

  const looping = loop();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      wake();
      await looping;
      await withTimeout(Promise.all(running.values()), longestStopMs);
    },
  };
}
