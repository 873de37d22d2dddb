import { sql } from 'kysely';
import { now } from '../store/database-time.ts';
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

/** Seconds since the oldest issuance without a lease became due; 0 when none is due. */
export async function queueAge(db: Db): Promise<number> {
  const row = await db
    .selectFrom('issuance')
    .select(sql<string | null>`extract(epoch from clock_timestamp() - min(next_at))`.as('age'))
    .where('next_at', '<=', now)
    .where((where) => where.or([where('lease_until', 'is', null), where('lease_until', '<', now)]))
    .executeTakeFirst();
  return Number(row?.age ?? 0);
}
