import { sql } from 'kysely';
import type { FlowDeps } from './flow.ts';

/** Issuances in one statement, so that it is short enough not to hold up other work. */
const atOnce = 100;

/**
 * Drops what only a running issuance needs (payloads, what was asked for, the list of its files) from those
 * that ended longer ago than the retention. What answers questions stays for ever: the requestId with its
 * fingerprint, the status, the history, and each entry's ids and error.
 */
export async function dropOldDetails(
  { db, timeouts }: Pick<FlowDeps, 'db'> & { timeouts: { keepDetails: number } },
  signal: AbortSignal,
): Promise<void> {
  const days = timeouts.keepDetails / 86_400_000;
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await sql`
      with old as (
        select id from gateway.issuance
        where completed_at < clock_timestamp() - make_interval(days => ${days}) and not details_dropped
        order by completed_at limit ${atOnce}
        for update skip locked
      ), emptied as (
        update gateway.issuance_entry set payload = '{}', input = null from old where issuance_id = old.id
      ), dropped as (
        delete from gateway.issuance_file using old where issuance_id = old.id
      )
      update gateway.issuance set details_dropped = true from old
      where issuance.id = old.id returning issuance.id`.execute(db);
    if (rows.length < atOnce) return;
  }
}
