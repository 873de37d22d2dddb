import { type Kysely, sql } from 'kysely';

/** Entry counts and an index, to count what an issuer has in flight at each new issuance. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.issuance add column entry_count int not null default 0`,
  `update gateway.issuance set entry_count =
    (select count(*) from gateway.issuance_entry where issuance_id = issuance.id)`,
  `create index issuance_in_flight on gateway.issuance (issuer) include (entry_count)
    where completed_at is null`,
];
