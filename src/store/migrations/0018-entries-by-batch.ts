import { type Kysely, sql } from 'kysely';

/** Finds the entries of one batch without reading all entries of its issuance, of which there may be thousands. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index issuance_entry_by_batch on gateway.issuance_entry (issuance_id, batch, index)`.execute(
    db,
  );
}
