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
/** The faults of each document, or why the schema cannot be used. */
export type SchemaTaskResult = { faults: DocumentFault[][] } | { why: string };

export type SchemaValidator = ReturnType<typeof createSchemaValidator>;

/** Time for the thread to start: it only loads one library. */
const startMs = 20_000;
/**
 * Time for one task. A few hundred documents by a schema of some KB take milliseconds, slow machines longer.
 */
const runMs = 1_000;
/** The longest wait of a caller, including the start of the thread and callers before it. */
const defaultWaitMs = 2_000;
/** With more waiting callers, the last one would not be served within its wait. */
const maxWaiting = 50;
/** How long an unusable schema stays refused. Then it is tried again: the machine may have been busy. */
const refusedMs = 10 * 60_000;
/** Time after which an idle thread ends: it takes some MB. */
const idleMs = 60_000;
/**
 * Schemas and documents have some KB. The limits stop a hostile schema whose validator or errors grow without
 * end.
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

  const begin = async (): Promise<Worker> => {
    // The thread needs nothing of this process's environment.
    const begun = new Worker(new URL('./schema-worker.ts', import.meta.url), { env: {}, resourceLimits });
    begun.unref();
    // Without a listener an error of the thread would end the process.
    begun.on('error', () => {});
    try {
      await once(begun, 'message', { signal: AbortSignal.timeout(startMs) });
      return begun;
    } catch (error) {
      await begun.terminate();
      throw error;
    }
  };

  const run = async (task: SchemaTask): Promise<SchemaTaskResult> => {
    clearTimeout(idle);
    worker ??= await begin();
    const over = new AbortController();
    const limit = AbortSignal.any([over.signal, AbortSignal.timeout(runMs)]);
    try {
      const answer = once(worker, 'message', { signal: limit });
      const exit = once(worker, 'exit', { signal: limit }).then(() => {
        throw new Error('it took more memory than it may');
      });
      // `Promise.race` leaves the other promise behind: its rejection must not count as unhandled.
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
