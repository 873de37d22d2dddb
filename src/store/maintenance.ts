import { sql } from 'kysely';
import type { Db } from './tables.ts';

/** Claims a maintenance task if it is due: in each `everyMs` one replica gets true. */
export async function claimTask(db: Db, name: string, everyMs: number): Promise<boolean> {
  const next = sql<Date>`clock_timestamp() + make_interval(secs => ${everyMs / 1000})`;
  const claimed = await db
    .insertInto('chore')
    .values({ name, next_at: next })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ next_at: next })
        .where('chore.next_at', '<=', sql<Date>`clock_timestamp()`),
    )
    .returning('name')
    .executeTakeFirst();
  return claimed !== undefined;
}
