import { type Kysely, sql } from 'kysely';

/** Requests of each caller by rate-limit window, over all replicas. Losing them in a crash does no harm. */
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
