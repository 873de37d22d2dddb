import { type Kysely, sql } from 'kysely';

/**
 * The tables of issuances and of the event log; `tables.ts` explains the columns. Times have milliseconds, as
 * in JavaScript: with microseconds, a time that was read back as a page boundary would not equal its own row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table gateway.issuance (
    id uuid primary key,
    issuer text not null,
    request_id text not null,
    fingerprint text not null,
    batching text not null,
    status text not null,
    error jsonb,
    sealed_key bytea,
    next_at timestamptz(3),
    attempts int not null default 0,
    lease_owner text,
    lease_until timestamptz(3),
    version int not null default 0,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    completed_at timestamptz(3),
    unique (issuer, request_id)
  )`,
  // For the worker's query for due issuances.
  `create index issuance_due on gateway.issuance (next_at) where next_at is not null`,
  `create index issuance_by_issuer on gateway.issuance (issuer, created_at desc, id)`,
  `create table gateway.issuance_batch (
    issuance_id uuid not null references gateway.issuance on delete cascade,
    index int not null,
    status text not null,
    request_id text not null,
    sent int not null default 0,
    first_key_logged boolean not null default false,
    first_sent_at timestamptz(3),
    primary key (issuance_id, index)
  )`,
  `create table gateway.issuance_entry (
    issuance_id uuid not null references gateway.issuance on delete cascade,
    index int not null,
    batch int not null,
    issuer text not null,
    external_id text not null,
    status text not null,
    outcome_source text,
    payload jsonb not null,
    token_id text,
    metadata_cid text,
    metadata_url text,
    collection_address text,
    error jsonb,
    updated_at timestamptz(3) not null default clock_timestamp(),
    primary key (issuance_id, index)
  )`,
  // A hash index takes ids of any length; a B-tree entry may have 2,704 bytes at most.
  `create index issuance_entry_by_external_id on gateway.issuance_entry using hash (external_id)`,
  `create index issuance_entry_by_token on gateway.issuance_entry (token_id) where token_id is not null`,
  `create table gateway.issuance_file (
    issuance_id uuid not null references gateway.issuance on delete cascade,
    category text not null,
    filename text not null,
    ready boolean not null default false,
    primary key (issuance_id, category, filename)
  )`,
  `create table gateway.issuance_history (
    id bigint generated always as identity primary key,
    issuance_id uuid not null references gateway.issuance on delete cascade,
    status text not null,
    reason text not null,
    at timestamptz(3) not null default clock_timestamp()
  )`,
  `create index issuance_history_by_issuance on gateway.issuance_history (issuance_id, id)`,
  `create table gateway.upload (
    issuer text not null,
    filename text not null,
    category text not null,
    content_type text not null,
    final_url text not null,
    expected_hash text,
    expected_size bigint,
    hash text,
    cid text,
    size bigint,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    primary key (issuer, category, filename)
  )`,
  `create index upload_by_url on gateway.upload (issuer, final_url)`,
  `create index upload_by_hash on gateway.upload (issuer, hash)`,
  `create table gateway.collection_creation (
    issuer text not null,
    address text not null,
    name text not null,
    symbol text not null,
    status text not null,
    error jsonb,
    created_at timestamptz(3) not null default clock_timestamp(),
    updated_at timestamptz(3) not null default clock_timestamp(),
    primary key (issuer, address)
  )`,
  `create table gateway.event (
    issuer text not null,
    cursor bigint not null,
    type text not null,
    kind text not null,
    source text not null,
    dedupe text not null,
    external_id text,
    token_id text,
    collection_address text,
    message text,
    raw jsonb not null,
    received_at timestamptz(3) not null default clock_timestamp(),
    primary key (issuer, cursor),
    unique (issuer, dedupe)
  )`,
  `create index event_by_external_id on gateway.event using hash (external_id)`,
  `create index event_by_token on gateway.event (issuer, token_id) where token_id is not null`,
  `create table gateway.event_head (issuer text primary key, cursor bigint not null)`,
];
