import { sql } from 'kysely';
import type { Db } from '../store/store.ts';
import type { IssuanceRow } from './flow.ts';

/** A dead replica's work moves on after at most this; renewed well before, so that a busy one keeps it. */
const leaseSeconds = 10;
const renewMs = 3_000;

/** What is carried under a lease; the columns of the lease are the same in both tables. */
export type LeasedTable = 'issuance' | 'collection_creation';

/** Kysely types a query by one table; the columns that are used here are those that both have. */
const leased = (table: LeasedTable) => table as 'issuance';

/** Thrown when a step finds that its issuance is no longer its own; whatever it was doing is void. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease on this issuance went to another worker.');
    this.name = 'LeaseLost';
  }
}

export const leaseEnd = () => sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/**
 * Takes an issuance that is due and no worker's. A worker serves all issuers: it starts from an id in the
 * queue, and whose the work is it learns from the row. The store's clock is the only one that counts.
 */
export async function takeLease(db: Db, id: string, owner: string): Promise<IssuanceRow | undefined> {
  return db
    .updateTable('issuance')
    .set({ lease_owner: owner, lease_until: leaseEnd() })
    .where('id', '=', id)
    .where('next_at', '<=', sql<Date>`clock_timestamp()`)
    .where((where) =>
      where.or([where('lease_until', 'is', null), where('lease_until', '<', sql<Date>`clock_timestamp()`)]),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Ends every lease, for a process that knows itself to be alone on its store. */
export async function endAllLeases(db: Db, table: LeasedTable): Promise<void> {
  await db
    .updateTable(leased(table))
    .set({ lease_owner: null, lease_until: null })
    .where('lease_owner', 'is not', null)
    .execute();
}

/** Renews the lease until `release`; aborts `lost` when it could not be kept. */
export function keepLease(
  db: Db,
  table: LeasedTable,
  id: string,
  owner: string,
  lost: AbortController,
): () => void {
  const timer = setInterval(async () => {
    const renewed = await db
      .updateTable(leased(table))
      .set({ lease_until: leaseEnd() })
      .where('id', '=', id)
      .where('lease_owner', '=', owner)
      .returning('id')
      .executeTakeFirst()
      // The store may be back before the lease ends; the fence on every write decides, not this timer.
      .catch(() => ({ id }));
    if (!renewed) lost.abort(new LeaseLost());
  }, renewMs);
  return () => clearInterval(timer);
}

/** Hands the issuance back: due again in `afterMs`, or never (final). */
export async function releaseLease(
  db: Db,
  id: string,
  owner: string,
  afterMs: number | undefined,
  attempts: number,
): Promise<void> {
  await db
    .updateTable('issuance')
    .set({
      lease_owner: null,
      lease_until: null,
      attempts,
      next_at:
        afterMs === undefined
          ? null
          : sql<Date>`clock_timestamp() + make_interval(secs => ${afterMs / 1000})`,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute();
}
