import { type Kysely, sql } from 'kysely';

/** How often each caller asked in a stretch of time, over all replicas. Losing it in a crash does no harm. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create unlogged table gateway.rate_window (
        caller text not null,
        starts_at timestamptz(3) not null,
        requests integer not null,
        primary key (starts_at, caller)
      )`,
    )
    .execute(db);
}
