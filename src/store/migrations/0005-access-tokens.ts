import { type Kysely, sql } from 'kysely';

/** Access tokens, stored as digests: a reader of the database cannot use them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create table gateway.access_token (
        id uuid primary key default gen_random_uuid(),
        digest text not null unique,
        issuer text not null,
        scopes text[] not null,
        note text not null,
        created_at timestamptz(3) not null default now(),
        expires_at timestamptz(3),
        revoked_at timestamptz(3)
      )`,
    )
    .execute(db);
}
