import { type Kysely, sql } from 'kysely';

/** What the worker last saw of each file that an issuance waits for, so that a client can see which one hangs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.issuance_file
    add column status text not null default 'CALCULATING',
    add column message text,
    add column since timestamptz(3) not null default clock_timestamp(),
    add column looks int not null default 0`,
  // Nobody wrote down when the files of earlier issuances became what they are.
  `update gateway.issuance_file set since = created_at
    from gateway.issuance where issuance.id = issuance_id`,
];
