import { type Kysely, sql } from 'kysely';

/** Finds the events of a collection, for subscribers that ask for these, without reading its issuer's whole log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index event_by_collection on gateway.event (issuer, collection_address, cursor)
    where collection_address is not null`.execute(db);
}
