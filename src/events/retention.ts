import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import { startInterval } from '../lib/interval.ts';
import { claimTask } from '../store/maintenance.ts';
import type { Db } from '../store/store.ts';

/** What the retention of event bodies needs. */
export interface RetentionDeps {
  db: Db;
  log: Logger;
  /** Milliseconds for which an event keeps its body. */
  keepMs: number;
}

/** Rows in one statement, so that it is short enough not to hold up other work. */
const atOnce = 500;
/** Bodies are kept for days, so an hour more does not matter. */
const everyMs = 3_600_000;

/**
 * Drops the bodies of events older than the retention, because old deliveries carry whole metadata documents.
 * The rest of an event stays for ever: its position, so that every cursor still holds; what it reported, on
 * which a final status rests; and the key that recognises a repeated delivery. An UNRECOGNIZED event keeps
 * its body, which is all there is of it.
 */
export async function dropOldBodies({ db, keepMs }: RetentionDeps, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await sql`
      with old as (
        select issuer, cursor from gateway.event
        where received_at < clock_timestamp() - make_interval(secs => ${keepMs / 1000})
          and not raw_dropped and type <> 'UNRECOGNIZED'
        order by received_at limit ${atOnce}
        for update skip locked
      )
      update gateway.event set raw = '{}', raw_dropped = true from old
      where event.issuer = old.issuer and event.cursor = old.cursor
      returning event.cursor`.execute(db);
    if (rows.length < atOnce) return;
  }
}

/** Drops old bodies every hour, on whichever replica claims the task first. */
export function keepEventLog(deps: RetentionDeps): { stop(): Promise<void> } {
  return startInterval(everyMs, async (signal) => {
    try {
      if (await claimTask(deps.db, 'drop-event-bodies', everyMs)) await dropOldBodies(deps, signal);
    } catch (error) {
      if (!signal.aborted)
        deps.log.warn({ err: error }, 'old event bodies were not dropped; it is tried again');
    }
  });
}
