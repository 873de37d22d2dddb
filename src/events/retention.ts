import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import { startInterval } from '../lib/interval.ts';
import { claimChore } from '../store/chores.ts';
import type { Db } from '../store/store.ts';

export interface RetentionDeps {
  db: Db;
  log: Logger;
  /** How long an event keeps its body. */
  keepMs: number;
}

/** A statement's worth: short enough not to be in anybody's way. */
const atOnce = 500;
/** Bodies are kept for days: an hour more is no matter. */
const everyMs = 3_600_000;

/**
 * Drops the bodies of events that are older than the retention: old deliveries carry whole metadata
 * documents. The rest of an event stays for ever: its place, so that every cursor still holds; what it said,
 * on which a final status rests; and what a repeated delivery is known by. An event that nobody understood
 * keeps its body, which is all there is of it.
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

/** Now and then, by whichever replica comes first. */
export function keepEventLog(deps: RetentionDeps): { stop(): Promise<void> } {
  return startInterval(everyMs, async (signal) => {
    try {
      if (await claimChore(deps.db, 'drop-event-bodies', everyMs)) await dropOldBodies(deps, signal);
    } catch (error) {
      if (!signal.aborted)
        deps.log.warn({ err: error }, 'old event bodies were not dropped; it comes round again');
    }
  });
}
