import { type Kysely, sql } from 'kysely';

/** Lets an issuer's uploads be listed newest first without sorting all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index upload_by_time on gateway.upload (issuer, created_at desc, category, filename)`.execute(
    db,
  );
}
