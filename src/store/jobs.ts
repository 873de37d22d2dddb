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

/** Work that survives the process: at least once, on any replica. */
export interface Jobs {
  /** Makes a job due on `queue`, now or in `afterMs`; of each, one waiting job per key is enough. */
  send(queue: string, job: JobData, afterMs?: number): Promise<void>;
  /**
   * Handles keys of `queue` in this process, `perOwner` of one owner at once. However much one owner has
   * waiting, it leaves some of the `places` free: another's job is not behind all of it.
   */
  work(
    queue: string,
    limits: { places: number; perOwner: number },
    handle: (key: string) => Promise<void>,
  ): Promise<void>;
  stop(): Promise<void>;
}

/** A step that outlives this is thought dead; its issuance's own lease ends long before. */
const expireInSeconds = 15 * 60;
/** How soon a job is seen when its wake-up was lost, or when it was put off for longer. */
const pollMs = 1_000;
/** Jobs that were put off for less are looked for on time; for longer waits a second is no matter. */
const shortMs = 5_000;
/** Jobs that still run at a stop have been told to end; whoever starts next takes them up again. */
const stopMs = 5_000;

export async function startJobs(database: Database, db: Db, signals: Signals, log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    schema: 'gateway_jobs',
    // No cron jobs are used.
    schedule: false,
    ...(database.kind === 'pglite'
      ? { db: fromPglite(database.lite), backend: 'pglite' as const }
      : // A few connections of its own: sends and completions are short.
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
      // However it ended: what is left to do is in the store, and becomes a job of its own.
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
        // A job that was put off must not stand in the way of one that is due now.
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
