import { type Kysely, sql } from 'kysely';

/** Makes the creation of collections durable: each is stored before it is sent, and a worker completes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table gateway.collection_creation
    drop constraint collection_creation_pkey,
    alter column address drop not null,
    add column id uuid not null default gen_random_uuid() primary key,
    add column request_id text,
    add column fingerprint text not null default '',
    add column salt text,
    add column outcome_source text,
    add column sealed_key bytea,
    add column sent int not null default 0,
    add column first_sent_at timestamptz(3),
    add column last_sent_at timestamptz(3),
    add column unanswered_at timestamptz(3),
    add column last_fault jsonb,
    add column held jsonb,
    add column ask_index_at timestamptz(3),
    add column salt_free boolean not null default false,
    add column watch_until timestamptz(3),
    add column attempts int not null default 0,
    add column next_at timestamptz(3),
    add column lease_owner text,
    add column lease_until timestamptz(3),
    add column completed_at timestamptz(3)`,
  // Earlier creations have the service's response, and a delivery may have named their salt.
  `update gateway.collection_creation as creation set
    request_id = id::text,
    sent = 1,
    first_sent_at = created_at,
    last_sent_at = created_at,
    salt = (
      select lower(event.raw->>'salt') from gateway.event
      where event.issuer = creation.issuer and event.collection_address = creation.address
        and event.raw->>'salt' ~ '^0x[0-9a-fA-F]{64}$'
      order by event.cursor desc limit 1
    ),
    outcome_source = case
      when status = 'WAITING_FOR_MINING' then null
      when status = 'FAILED' and error is null then 'RESPONSE'
      else 'WEBHOOK'
    end,
    error = case when status = 'FAILED' and error is null then jsonb_build_object(
      'code', 'MINING_FAILED',
      'message', 'The collection could not be deployed. Create it again under a new requestId, with another salt or with none.'
    ) else error end,
    completed_at = case when status = 'WAITING_FOR_MINING' then null else updated_at end,
    -- From now on the index is asked for those whose delivery was lost.
    next_at = case when status = 'WAITING_FOR_MINING' then clock_timestamp() end`,
  // On a test chain that was reset a salt may occur twice. Then it belongs to the newest creation.
  `update gateway.collection_creation as older set salt = null from gateway.collection_creation as newer
    where newer.issuer = older.issuer and newer.salt = older.salt
      and (newer.created_at, newer.address) > (older.created_at, older.address)`,
  `alter table gateway.collection_creation
    alter column request_id set not null,
    alter column fingerprint drop default,
    alter column id drop default,
    add unique (issuer, request_id),
    add unique (issuer, address)`,
  // A salt works once. It is free again when its request was refused.
  `create unique index collection_creation_by_salt on gateway.collection_creation (issuer, salt) where not salt_free`,
  `create index collection_creation_due on gateway.collection_creation (next_at) where next_at is not null`,
];
