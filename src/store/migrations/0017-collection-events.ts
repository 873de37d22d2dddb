import { type Kysely, sql } from 'kysely';

/** Finds the events about the creation of a collection without reading its issuer's whole log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A replica at work locks its log first, then writes entries and events: it could deadlock with this and the next
  // index.
  await sql`lock table gateway.event_head in exclusive mode`.execute(db);
  await sql`create index event_about_collection on gateway.event (issuer, collection_address)
    where type in ('COLLECTION_CREATED', 'COLLECTION_FAILED')`.execute(db);
}
