import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import { ago } from '../store/database-time.ts';
import { repeatUntilDone, startTask } from '../store/maintenance.ts';
import type { Db } from '../store/store.ts';

export interface RetentionDeps {
  db: Db;
  log: Logger;
  /** Milliseconds for which an event keeps its body. */
  keepMs: number;
}

/** Rows in one statement. A longer statement would block other work. */
const rowsAtOnce = 500;
/** Bodies stay for days, so an hour more does not matter. */
const everyMs = 3_600_000;

/**
 * Drops the bodies of events older than the retention, because they contain whole metadata documents. The
 * other columns stay for ever: the position, so that cursors stay valid; the outcome, which is the proof of a
 * final status; and the hash that recognises repeated deliveries. An UNRECOGNIZED event keeps its body for a
 * replay. An event without a delivery keeps its body too, which is short and has the error that clients see.
 */
export function dropOldBodies({ db, keepMs }: RetentionDeps, signal: AbortSignal): Promise<void> {
  return repeatUntilDone(rowsAtOnce, signal, () =>
    sql`
      with old as (
        select issuer, cursor from gateway.event
        where received_at < ${ago(keepMs)}
          and not raw_dropped and type <> 'UNRECOGNIZED'
        order by received_at limit ${rowsAtOnce}
        for update skip locked
      )
      update gateway.event set raw = case source when 'WEBHOOK' then '{}' else raw end, raw_dropped = true from old
      where event.issuer = old.issuer and event.cursor = old.cursor
      returning event.cursor`.execute(db),
  );
}

/** Drops old bodies every hour. */
export const startBodyRetention = (deps: RetentionDeps): { stop(): Promise<void> } =>
  startTask(deps, 'drop-event-bodies', everyMs, (signal) => dropOldBodies(deps, signal));
