import { type Kysely, sql } from 'kysely';

/** For maintenance tasks, which one replica at a time runs: watching mined records, dropping old details. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table gateway.chore (name text primary key, next_at timestamptz(3) not null)`,
  `alter table gateway.issuance_entry
    add column indexed_at_block bigint,
    add column removed_at timestamptz(3)`,
  `create index issuance_entry_issued on gateway.issuance_entry (updated_at) where status = 'ISSUED'`,
  `alter table gateway.issuance add column details_dropped boolean not null default false`,
  `create index issuance_with_details on gateway.issuance (completed_at)
    where completed_at is not null and not details_dropped`,
];
