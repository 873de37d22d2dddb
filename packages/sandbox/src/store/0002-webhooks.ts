import { type Kysely, sql } from 'kysely';

/** Adds the cursor of the transfer watch and the log of each delivery's attempts. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create table sandbox.chain_cursor (name text primary key, block int8 not null)`.execute(db);
  await sql`alter table sandbox.delivery add column tries jsonb not null default '[]'`.execute(db);
}
