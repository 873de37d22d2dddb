import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { sleep } from '@srr-gateway/common/time';

/** What there is to do now, oldest first, and when to look again if nothing wakes the workers before. */
export interface Work<T> {
  items: T[];
  nextInMs?: number | undefined;
}

export interface WorkersOptions<T> {
  name: string;
  log: Logger;
  /** Items in hand at one moment. */
  concurrency: number;
  /** Finds up to `limit` items; may name again what is already in hand. */
  find(limit: number): Promise<Work<T>>;
  idOf(item: T): string;
  /** Does one item. What it throws is logged, and the item is tried again after a pause. */
  run(item: T): Promise<void>;
}

export interface Workers {
  /** There may be something to do. */
  wake(): void;
  /** Takes nothing new, and waits for what is in hand as long as a stop may last. */
  stop(): Promise<void>;
}

/** A fault of the store or the chain rarely passes in less; more would make a short fault a long one. */
const pauseAfterFaultMs = 500;
/** What is in hand is durable, so a stop need not wait for it: this only saves most of the repetition. */
const longestStopMs = 1_000;
/** `setTimeout` overflows beyond 2^31 ms; far-off work is simply looked at again each hour. */
const longestWaitMs = 3_600_000;

/**
 * Carries out work that is durable elsewhere (rows of the store): the process may die at any moment, and
 * the next one finds the same work again. `run` must therefore bear being repeated.
 */
export function startWorkers<T>(options: WorkersOptions<T>): Workers {
  const inHand = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  let bell = Promise.withResolvers<void>();

  const wake = () => bell.resolve();
  const log = options.log.child({ worker: options.name });
  const looking = new OutageLog(log, 'looking for work failed; it is tried again');
  /** Of items that failed the last time: each is told of once. */
  const failing = new Set<string>();

  function start(item: T): void {
    const id = options.idOf(item);
    if (inHand.has(id) || inHand.size >= options.concurrency) return;
    const done = options
      .run(item)
      .then(() => void failing.delete(id))
      .catch(async (error) => {
        // What a stop cuts off is no fault: the next process carries it on.
        if (stopping.signal.aborted) return;
        log[failing.has(id) ? 'debug' : 'error']({ err: error, item: id }, 'work failed and is tried again');
        failing.add(id);
        await sleep(pauseAfterFaultMs, stopping.signal).catch(() => {});
      })
      .finally(() => {
        inHand.delete(id);
        wake();
      });
    inHand.set(id, done);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      bell = Promise.withResolvers();
      let waitMs = longestWaitMs;
      try {
        const { items, nextInMs } = await options.find(options.concurrency);
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
    await bell.promise;
    clearTimeout(timer);
  }

  const looping = loop();
  return {
    wake,
    stop: async () => {
      stopping.abort();
      wake();
      await looping;
      await Promise.race([Promise.all(inHand.values()), sleep(longestStopMs)]);
    },
  };
}
