import { type RawBuilder, type Selectable, sql } from 'kysely';
import { fromNow, now } from './database-time.ts';
import type { Db, Tables } from './tables.ts';

/**
 * Tables whose rows are jobs. A row is due once `next_at` has passed, and a worker processes it under a lease.
 * Each table has the columns `id`, `issuer`, `next_at`, `attempts`, `lease_owner` and `lease_until`.
 */
export type DueTable = 'issuance' | 'collection_creation' | 'webhook_endpoint';
/** A row of a due table. The named columns are common to all of them. */
export type DueRow<T extends DueTable> = Selectable<Tables[T]> &
  Pick<Selectable<Tables[DueTable]>, 'id' | 'issuer' | 'attempts'>;

/** A due row whose lease was held at `read_at`. That is the database's time; compare the times of the row with it. */
export type LeasedRow<T extends DueTable> = DueRow<T> & { read_at: Date };

/**
 * The work of a dead replica waits this long at most. A live one renews its lease long before, so a short
 * pause does not cost it the lease.
 */
const leaseMs = 10_000;

/** Thrown when a step no longer holds its lease. Its transaction is rolled back. */
export class LeaseLost extends Error {
  constructor() {
    super('The lease on this row went to another worker.');
    this.name = 'LeaseLost';
  }
}

/** Kysely types a query by one table. Use only the columns that all due tables have. */
const untyped = (table: DueTable) => table as 'issuance';
const leaseEnd = () => fromNow(leaseMs);
/** SQL: the row is due and no worker holds its lease, by the database's clock. */
const isDue = sql`next_at <= statement_timestamp()
  and (lease_until is null or lease_until < statement_timestamp())`;

/**
 * SQL: milliseconds until the row is due; null when it never is. Uses the clock of `isDue`: otherwise a row that
 * becomes due during a claim would count as held by another worker, and would wait for the next sweep.
 */
const untilDue = sql<number | null>`(extract(epoch from next_at - statement_timestamp()) * 1000)::float`;
const inMs = (ms: number | null | undefined) => (ms == null ? undefined : Math.max(0, Math.ceil(ms)));

export interface Claim<T extends DueTable> {
  /** The row that is leased now; undefined when none was due. */
  row: LeasedRow<T> | undefined;
  /** Milliseconds until the next row is due: 0 when one is due now, undefined when there is none. */
  dueMs: number | undefined;
}

/**
 * Leases the next due row for `owner`, and says when the one after it is due. Two workers that claim at once get
 * different rows. The issuer with the fewest rows in `held` comes first, so that an issuer with thousands of
 * due rows does not delay the others. An issuer with `perIssuer` rows gets none, and its rows do not count.
 */
export async function claimDue<T extends DueTable>(
  db: Db,
  table: T,
  owner: string,
  held: Record<string, number>,
  perIssuer: number,
): Promise<Claim<T>> {
  const rows = sql.table(`gateway.${table}`);
  const holds = sql`coalesce((${JSON.stringify(held)}::jsonb ->> issuer)::int, 0)`;
  // Loose index scan, from issuer to issuer. GROUP BY would read all due rows at each claim. The first due
  // row has an order, by which the index is read: EXISTS reads the whole table when old statistics expect many.
  const claims = await sql<LeasedRow<T> & { due_ms: number | null }>`
    with recursive head as (
      (select issuer, next_at from ${rows}
        where next_at is not null
          and (select next_at from ${rows} where ${isDue} order by next_at limit 1) is not null
        order by issuer, next_at limit 1)
      union all
      select following.issuer, following.next_at from head cross join lateral
        (select issuer, next_at from ${rows}
          where next_at is not null and issuer > head.issuer
          order by issuer, next_at limit 1) as following
    ), claimed as (
      update ${rows} set lease_owner = ${owner}, lease_until = ${leaseEnd()}
      where id = (
        select first.id
        from (
          select issuer from head where next_at <= statement_timestamp() and ${holds} < ${perIssuer}
          order by ${holds}, next_at
        ) as fair cross join lateral (
          select id from ${rows} where issuer = fair.issuer and ${isDue}
          order by next_at limit 1 for update skip locked
        ) as first
        limit 1
      )
      returning *, ${now} as read_at
    )
    select claimed.*, next.due_ms
    from (select) as look left join claimed on true left join lateral (
      select ${untilDue} as due_ms from ${rows}
      where next_at is not null and (lease_until is null or lease_until < statement_timestamp())
        and id is distinct from claimed.id
        and ${holds} + coalesce((issuer = claimed.issuer)::int, 0) < ${perIssuer}
      order by next_at limit 1
    ) as next on true`.execute(db);
  const [{ due_ms, ...row }] = claims.rows as [(typeof claims.rows)[number]];
  return { row: row.id === null ? undefined : (row as unknown as LeasedRow<T>), dueMs: inMs(due_ms) };
}

/** Renews a lease. Returns whether it was still held. */
export async function renewLease(db: Db, table: DueTable, id: string, owner: string): Promise<boolean> {
  const renewed = await db
    .updateTable(untyped(table))
    .set({ lease_until: leaseEnd() })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning('id')
    .executeTakeFirst();
  return renewed !== undefined;
}

/**
 * Gives a lease back. The row is due again in `afterMs` (undefined: never), or at once if the condition `hinted`
 * holds, so that news that came during the step does not wait. Returns the milliseconds until the row is due;
 * undefined for never, and when the lease was lost.
 */
export async function releaseLease(
  db: Db,
  table: DueTable,
  { id, owner }: { id: string; owner: string },
  { afterMs, attempts = 0 }: { afterMs?: number | undefined; attempts?: number },
  hinted: RawBuilder<boolean> = sql`false`,
): Promise<number | undefined> {
  const seconds = afterMs === undefined ? null : afterMs / 1000;
  const released = await db
    .updateTable(untyped(table))
    .set({
      lease_owner: null,
      lease_until: null,
      attempts,
      next_at: sql<Date | null>`clock_timestamp()
        + make_interval(secs => case when ${hinted} then 0 else ${seconds}::double precision end)`,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning(untilDue.as('ms'))
    .executeTakeFirst();
  return inMs(released?.ms);
}

/** Ends all leases. Only for a process that is alone on its database: the leases are those of a dead process. */
export async function endAllLeases(db: Db, table: DueTable): Promise<void> {
  await db
    .updateTable(untyped(table))
    .set({ lease_owner: null, lease_until: null })
    .where('lease_owner', 'is not', null)
    .execute();
}

/** Reads a row again; undefined when its lease is not held any more. */
export async function readLeased<T extends DueTable>(
  db: Db,
  table: T,
  id: string,
  owner: string,
): Promise<LeasedRow<T> | undefined> {
  const row = await db
    .selectFrom(untyped(table))
    .selectAll()
    .select(now.as('read_at'))
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .executeTakeFirst();
  return row as LeasedRow<T> | undefined;
}

/** Locks a row in the open transaction. @throws LeaseLost when its lease is not held any more. */
export async function lockLeased<T extends DueTable>(
  trx: Db,
  table: T,
  { id, issuer }: Pick<DueRow<T>, 'id' | 'issuer'>,
  owner: string,
): Promise<DueRow<T>> {
  const row = await trx
    .selectFrom(untyped(table))
    .selectAll()
    .where('id', '=', id)
    .where('issuer', '=', issuer)
    .forUpdate()
    .executeTakeFirst();
  if (row?.lease_owner !== owner) throw new LeaseLost();
  return row as unknown as DueRow<T>;
}
