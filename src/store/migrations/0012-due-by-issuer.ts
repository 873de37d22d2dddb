import { type Kysely, sql } from 'kysely';

/** Lets a worker find the next due row of each issuer without reading all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['issuance', 'collection_creation'])
    await sql
      .raw(
        `create index ${table}_due_by_issuer on gateway.${table} (issuer, next_at) where next_at is not null`,
      )
      .execute(db);
}
