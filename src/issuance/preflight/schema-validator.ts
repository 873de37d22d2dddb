import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fingerprint } from '@srr-gateway/common/canonical-json';
import type { Logger } from '@srr-gateway/common/log';
import { withTimeout } from '@srr-gateway/common/time';
import { LRUCache } from 'lru-cache';
import type { DocumentFault } from './schema-messages.ts';

/** A task for the worker thread. `text` is the schema. */
export interface SchemaTask {
  text: string;
  documents: object[];
}
/** The faults of each document, or the reason why the schema cannot be used. */
export type SchemaTaskResult = { faults: DocumentFault[][] } | { why: string };

export type SchemaValidator = ReturnType<typeof createSchemaValidator>;

/** Time for the thread to start: it only loads one library. */
const startMs = 20_000;
/** Time for one task. A few hundred documents and a schema of some KB take milliseconds, more on a slow machine. */
const runMs = 1_000;
/** The longest wait of a caller, including the thread's start and earlier callers. */
const defaultWaitMs = 2_000;
/** The last of more waiting callers would not be served in time. */
const maxWaiting = 50;
/** How long an unusable schema is refused. Later it is tried again: the machine may have been busy. */
const refusedMs = 10 * 60_000;
/** Time after which an idle thread ends, because it takes some MB. */
const idleMs = 60_000;
/**
 * Schemas and documents have some KB. The limits stop a hostile schema whose validator or errors grow without bound.
 */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

/**
 * Creates a validator of documents by fetched schemas. A schema from outside may be any JSON, so it runs in a
 * thread, which starts when it is needed and is terminated when a schema takes too long.
 */
export function createSchemaValidator({ log, waitMs = defaultWaitMs }: { log: Logger; waitMs?: number }) {
  const refused = new LRUCache<string, true>({ max: 1_000, ttl: refusedMs });
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const end = async () => {
    const ended = worker;
    worker = undefined;
    clearTimeout(idle);
    await ended?.terminate();
  };

  const run = async (task: SchemaTask): Promise<SchemaTaskResult> => {
    clearTimeout(idle);
    worker ??= await startThread();
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, AbortSignal.timeout(runMs)]);
    try {
      const answer = once(worker, 'message', { signal: limit });
      const exit = once(worker, 'exit', { signal: limit }).then(() => {
        throw new Error('it took more memory than it may');
      });
      // The promise that loses `Promise.race` must not reject unhandled.
      for (const outcome of [answer, exit]) outcome.catch(() => {});
      worker.postMessage(task);
      const [result] = await Promise.race([answer, exit]);
      idle = setTimeout(() => void end(), idleMs).unref();
      return result as SchemaTaskResult;
    } catch (error) {
      await end();
      return { why: error instanceof Error ? error.message : String(error) };
    } finally {
      over.abort();
    }
  };

  const validated = async (key: string, task: SchemaTask) => {
    if (refused.has(key)) return undefined;
    const result = await run(task);
    if ('faults' in result) return result.faults;
    refused.set(key, true);
    log.warn({ why: result.why.slice(0, 300) }, 'a fetched metadata schema cannot be used');
    return undefined;
  };

  return {
    /** The faults of each document; undefined when the schema cannot be used, or not in time. Never throws. */
    async faultsOf(text: string, documents: object[]): Promise<DocumentFault[][] | undefined> {
      const key = fingerprint(text);
      if (refused.has(key) || waiting >= maxWaiting) return undefined;
      waiting++;
      const turn = queue
        .then(() => validated(key, { text, documents }))
        .catch((error: unknown) => log.warn({ err: error }, 'fetched schemas could not be applied'))
        .then((found) => found ?? undefined);
      queue = turn.finally(() => waiting--);
      return withTimeout(turn, waitMs);
    },
    close: end,
  };
}

async function startThread(): Promise<Worker> {
  // The thread needs nothing of this process's environment.
  const thread = new Worker(new URL('./schema-worker.ts', import.meta.url), { env: {}, resourceLimits });
  thread.unref();
  // Without a listener an error of the thread would end the process.
  thread.on('error', () => {});
  try {
    await once(thread, 'message', { signal: AbortSignal.timeout(startMs) });
    return thread;
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}
