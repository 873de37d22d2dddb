import { type Kysely, sql } from 'kysely';

/** Stores each entry as the caller sent it. Null for entries from before this column. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table gateway.issuance_entry add column input jsonb`).execute(db);
}
