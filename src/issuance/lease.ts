import { sql } from 'kysely';
import type { Db } from '../store/store.ts';
import type { IssuanceRow } from './flow.ts';

/**
 * A dead replica's work waits this long at most. A busy replica renews well before, so that it keeps its
 * work.
 */
const leaseSeconds = 10;
const renewMs = 3_000;

/** Tables whose rows are leased. The columns of the lease are the same in both. */
export type LeasedTable = 'issuance' | 'collection_creation';

/** Kysely types a query by one table; only columns that both tables have are used here. */
const leased = (table: LeasedTable) => table as 'issuance';

/** Thrown when a step does not hold its lease any more; nothing of what it was doing counts. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease on this issuance went to another worker.');
    this.name = 'LeaseLost';
  }
}

/** SQL: when a lease that is taken or renewed now ends. */
export const leaseEnd = () => sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`;

/**
 * Leases an issuance that is due and that no worker holds, else returns undefined. Only the database's clock
 * counts. A worker serves all issuers: it starts from an id in the queue and reads the issuer from the row.
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

/** Ends every lease, for a process that is alone on its database. */
export async function endAllLeases(db: Db, table: LeasedTable): Promise<void> {
  await db
    .updateTable(leased(table))
    .set({ lease_owner: null, lease_until: null })
    .where('lease_owner', 'is not', null)
    .execute();
}

/**
 * Renews the lease until the returned function is called. Aborts `lost` when the lease is not held any more.
 */
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
      // The database may be back before the lease ends. Every write checks the lease, so go on here.
      .catch(() => ({ id }));
    if (!renewed) lost.abort(new LeaseLost());
  }, renewMs);
  return () => clearInterval(timer);
}

/** Gives the lease back. The issuance is due again in `afterMs`; undefined: never, because it is final. */
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
