import { type Kysely, sql } from 'kysely';

/** Marks events whose body was dropped after its retention. Unrecognised events keep theirs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.event add column raw_dropped boolean not null default false`,
  `create index event_with_raw on gateway.event (received_at)
    where not raw_dropped and type <> 'UNRECOGNIZED'`,
];
