import { type Kysely, sql } from 'kysely';

/** Finds the events about the creation of a collection without reading its issuer's whole log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index event_about_collection on gateway.event (issuer, collection_address)
    where type in ('COLLECTION_CREATED', 'COLLECTION_FAILED')`.execute(db);
}
