import { sql } from 'kysely';
import type { Db } from '../store/store.ts';

/** Counts issuances under way by status. Completed ones are left out: they are many and no longer change. */
export async function issuancesUnderWay(db: Db): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('issuance')
    .select(['status', sql<string>`count(*)`.as('count')])
    .where('completed_at', 'is', null)
    .groupBy('status')
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Seconds since the oldest issuance or creation of a collection without a lease became due; 0 when none is due. */
export async function queueAge(db: Db): Promise<number> {
  const { rows } = await sql<{ age: string | null }>`
    select extract(epoch from statement_timestamp() - min(next_at)) as age from (
      select next_at, lease_until from gateway.issuance
      union all select next_at, lease_until from gateway.collection_creation
    ) as work
    where next_at <= statement_timestamp()
      and (lease_until is null or lease_until < statement_timestamp())`.execute(db);
  return Number(rows[0]?.age ?? 0);
}

/** Counts accepted work without news for an hour. */
export async function outcomesOverdue(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select
      (select count(*)::int from gateway.issuance where status = 'WAITING_FOR_MINING'
        and completed_at is null and updated_at < statement_timestamp() - interval '1 hour') as issuance,
      (select count(*)::int from gateway.collection_creation where status = 'WAITING_FOR_MINING'
        and next_at is not null and updated_at < statement_timestamp() - interval '1 hour') as collection`.execute(
    db,
  );
  return rows[0] ?? {};
}
