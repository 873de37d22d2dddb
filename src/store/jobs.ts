import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { sleep } from '@srr-gateway/common/time';
import { fromPglite, PgBoss } from 'pg-boss';
import { Dispatcher } from './dispatcher.ts';
import { Signals } from './signals.ts';
import type { Db } from './tables.ts';

interface JobData {
  key: string;
  owner: string;
}

/**
 * A durable job queue for all replicas. A job whose process dies is not retried by the queue: the worker
 * finds what is due in the database and sends it again.
 */
export interface Jobs {
  /** Puts a job on `queue`, due now or in `afterMs`. One due and one delayed job at most wait for a key. */
  send(queue: string, job: JobData, afterMs?: number): Promise<void>;
  /**
   * Handles jobs of `queue` in this process, at most `places` at once and `perOwner` of one owner. An owner
   * with many jobs thus leaves places free, so that another owner's job does not wait behind all of them.
   */
  work(
    queue: string,
    limits: { places: number; perOwner: number },
    handle: (key: string) => Promise<void>,
  ): Promise<void>;
  /** Takes no more jobs, and waits a limited time for the running ones. */
  stop(): Promise<void>;
}

/** A job that runs longer counts as dead. The lease of its issuance ends long before. */
const expireInSeconds = 15 * 60;
/** The longest delay of a job whose wake-up was lost, or that was delayed by more than `shortMs`. */
const pollMs = 1_000;
/** Jobs delayed by up to this get a timer of their own; after longer delays one second does not matter. */
const shortMs = 5_000;
/** Jobs that run at a stop have been told to end; the next start takes up those that do not end in time. */
const stopMs = 5_000;

/** Starts the queue on the database. @throws when the database cannot be used. */
export async function startJobs(database: Database, db: Db, signals: Signals, log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    schema: 'gateway_jobs',
    // No cron jobs are used.
    schedule: false,
    ...(database.kind === 'pglite'
      ? { db: fromPglite(database.lite), backend: 'pglite' as const }
      : // A few connections of its own are enough: sends and completions are short.
        { connectionString: database.url, max: 3 }),
  });
  const onError = (error: unknown) => log.warn({ err: error }, 'the job queue had an error');
  boss.on('error', onError);
  boss.on('warning', (warning) => log.debug({ warning }, 'the job queue warns'));
  await boss.start();
  const known = new Map<string, Promise<void>>();
  const ensure = (queue: string) => {
    const created =
      known.get(queue) ?? boss.createQueue(queue, { policy: 'short', retryLimit: 0, expireInSeconds });
    known.set(queue, created);
    return created;
  };
  const take = async (queue: string, busyOwners: string[], handle: (key: string) => Promise<void>) => {
    const [job] = await boss.fetch<JobData>(queue, { ignoreGroups: busyOwners });
    if (!job) return undefined;
    const run = async () => {
      // Complete it even after a failure: what is left to do is in the database and becomes a new job.
      await handle(job.data.key).finally(() => boss.complete(queue, job.id));
    };
    return { owner: job.data.owner, run };
  };
  const dispatchers = new Map<string, Dispatcher>();
  const stops: (() => unknown)[] = [];
  return {
    send: async (queue, job, afterMs = 0) => {
      await ensure(queue);
      const startAfter = afterMs > 0 ? new Date(Date.now() + afterMs) : undefined;
      const { key, owner } = job;
      await boss.send(queue, job, {
        // A key of its own, so that a delayed job does not block one that is due now.
        singletonKey: startAfter ? `${key} later` : key,
        group: { id: owner },
        ...(startAfter && { startAfter }),
      });
      if (!startAfter) await Signals.send(db, 'jobs', queue);
      else if (afterMs <= shortMs) setTimeout(() => dispatchers.get(queue)?.wake(), afterMs).unref();
    },
    work: async (queue, limits, handle) => {
      await ensure(queue);
      const dispatcher = new Dispatcher({ ...limits, take: (busy) => take(queue, busy, handle), onError });
      dispatchers.set(queue, dispatcher);
      const off = signals.on('jobs', queue, () => dispatcher.wake());
      const poll = setInterval(() => dispatcher.wake(), pollMs);
      stops.push(
        off,
        () => clearInterval(poll),
        () => dispatcher.stop(),
      );
    },
    stop: async () => {
      const limit = new AbortController();
      const stopped = Promise.all(stops.map((stop) => stop()));
      await Promise.race([stopped, sleep(stopMs, limit.signal).catch(() => {})]);
      limit.abort();
      await boss.stop({ graceful: true, timeout: stopMs });
    },
  };
}
