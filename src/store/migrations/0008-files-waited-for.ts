import { type Kysely, sql } from 'kysely';

/** Stores each file's last state, so that a client can see for which file its issuance waits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.issuance_file
    add column status text not null default 'CALCULATING',
    add column message text,
    add column since timestamptz(3) not null default clock_timestamp(),
    add column looks int not null default 0`,
  // For the files of earlier issuances the time of their status is unknown: take that of the issuance.
  `update gateway.issuance_file set since = created_at
    from gateway.issuance where issuance.id = issuance_id`,
];
