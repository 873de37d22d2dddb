import { type Kysely, sql } from 'kysely';

/** The keys with which secrets in this database may be encrypted, by their fingerprints. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table gateway.sealing_key (
    fingerprint text primary key,
    first_used_at timestamptz(3) not null default clock_timestamp()
  )`.execute(db);
}
