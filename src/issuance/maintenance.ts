import { sql } from 'kysely';
import { ago } from '../store/database-time.ts';
import { repeatUntilDone, startTask } from '../store/maintenance.ts';
import type { FlowDeps } from './flow.ts';
import { watchChain } from './recover/chain-watch.ts';
import { watchFailed } from './recover/watch-failed.ts';

/** Checks of each record within REORG_WATCH. */
const looks = 30;
/**
 * Queries for a failed record within FAILURE_WATCH: twice a minute in the default hour, which is soon enough for a
 * correction.
 */
const failedLooks = 120;
/** Minimum interval, so that a short watch, as in tests, does not query all the time. */
const minMs = 250;
/** Details are kept for days, so an hour more does not matter. */
const dropEveryMs = 3_600_000;

/** Starts the recurring tasks of issuances. */
export function startMaintenance(deps: FlowDeps): { stop(): Promise<void> } {
  const { reorgWatch, failureWatch } = deps.timeouts;
  const failedEveryMs = Math.max(minMs, failureWatch / failedLooks);
  const tasks = [
    startTask(deps, 'watch-chain', reorgWatch / looks, (signal) => watchChain(deps, signal)),
    startTask(deps, 'watch-failed', failedEveryMs, (signal) => watchFailed(deps, signal)),
    startTask(deps, 'drop-old-details', dropEveryMs, (signal) => dropOldDetails(deps, signal)),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((one) => one.stop()));
    },
  };
}

/**
 * Issuances per statement. Each may have ten thousand entries, of which a statement writes some ten thousand a second;
 * after half a minute of silence the connection would break, and the next attempt would meet the same issuances.
 */
const atOnce = 10;

/**
 * Deletes the details of issuances that ended before the retention time: payloads, inputs and the list of files. The
 * requestId with its fingerprint, the status, the history, and each entry's ids and error stay for ever.
 */
export function dropOldDetails(
  { db, timeouts }: Pick<FlowDeps, 'db'> & { timeouts: { keepDetails: number } },
  signal: AbortSignal,
): Promise<void> {
  return repeatUntilDone(atOnce, signal, () =>
    sql`
      with old as (
        select id from gateway.issuance
        where completed_at < ${ago(timeouts.keepDetails)}
          and not details_dropped
        order by completed_at limit ${atOnce}
        for update skip locked
      ), emptied as (
        update gateway.issuance_entry set payload = '{}', input = null from old where issuance_id = old.id
      ), dropped as (
        delete from gateway.issuance_file using old where issuance_id = old.id
      )
      update gateway.issuance set details_dropped = true from old
      where issuance.id = old.id returning issuance.id`.execute(db),
  );
}
