import { fromPglite, PgBoss } from 'pg-boss';
import type { Database } from '../lib/database/database.ts';
import type { Logger } from '../lib/log.ts';

/** Work that survives the process: at least once, on any replica. */
export interface Jobs {
  /** Makes a job due on `queue`, now or in `afterMs`; one waiting job per key is enough. */
  send(queue: string, job: { key: string; owner: string }, afterMs?: number): Promise<void>;
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
/** How soon a job is seen when its notification was lost. */
const pollSeconds = 1;
/** One slow job holds up one other; a batch of one would be fetched at the pace of the poll only. */
const batchSize = 2;

export async function startJobs(database: Database, log: Logger): Promise<Jobs> {
  const boss = new PgBoss({
    schema: 'gateway_jobs',
    // No cron jobs are used.
    schedule: false,
    useListenNotify: true,
    ...(database.kind === 'pglite'
      ? { db: fromPglite(database.lite), backend: 'pglite' as const }
      : // A few connections of its own: sends and completions are short.
        { connectionString: database.url, max: 3 }),
  });
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue had an error'));
  boss.on('warning', (warning) => log.debug({ warning }, 'the job queue warns'));
  await boss.start();
  const known = new Map<string, Promise<void>>();
  const ensure = (queue: string) => {
    const created =
      known.get(queue) ??
      boss.createQueue(queue, { policy: 'short', notify: true, retryLimit: 0, expireInSeconds });
    known.set(queue, created);
    return created;
  };
  return {
    send: async (queue, { key, owner }, afterMs = 0) => {
      await ensure(queue);
      const startAfter = afterMs > 0 ? new Date(Date.now() + afterMs) : undefined;
      await boss.send(
        queue,
        { key },
        { singletonKey: key, group: { id: owner }, ...(startAfter && { startAfter }) },
      );
    },
    work: async (queue, { places, perOwner }, handle) => {
      await ensure(queue);
      await boss.work<{ key: string }>(
        queue,
        {
          localConcurrency: places,
          localGroupConcurrency: perOwner,
          batchSize,
          // A backlog is worked off at once, not one batch per poll.
          burstWhenBatchFull: true,
          pollingIntervalSeconds: pollSeconds,
          notifyPollingIntervalSeconds: pollSeconds,
        },
        async (jobs) => {
          await Promise.all(jobs.map((job) => handle(job.data.key)));
        },
      );
    },
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  };
}
