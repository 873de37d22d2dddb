import { type Kysely, sql } from 'kysely';

/**
 * The unique indexes on externalId and requestId are on their md5: the service does not limit the length of
 * these texts, and a PostgreSQL index entry holds at most 2,704 bytes.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table sandbox.licensed_user (
    address text primary key,
    english_name text not null,
    original_name text not null,
    user_type text not null,
    api_key_hash text unique,
    withdrawn boolean not null default false,
    srr_quota int,
    nfc_allowance int
  )`,
  `create table sandbox.stored_file (
    id uuid primary key,
    issuer text not null,
    filename text not null,
    category text not null,
    content_type text not null,
    size int8 not null,
    hash text,
    cid text,
    uploaded_at timestamptz not null default now(),
    unique (issuer, filename)
  )`,
  `create index stored_file_waiting on sandbox.stored_file (uploaded_at) where hash is null`,
  `create table sandbox.published (
    cid text primary key,
    content_type text not null,
    published_at timestamptz not null default now()
  )`,
  `create table sandbox.issue_request (
    id int8 generated always as identity primary key,
    issuer text not null,
    request_id text,
    content_hash text not null,
    status text not null,
    created_at timestamptz not null default now()
  )`,
  `create unique index issue_request_id on sandbox.issue_request (issuer, md5(request_id))
    where request_id is not null`,
  `create unique index issue_request_content on sandbox.issue_request (issuer, content_hash)
    where status <> 'failed'`,
  `create table sandbox.srr (
    id int8 generated always as identity primary key,
    request int8 not null references sandbox.issue_request,
    issuer text not null,
    external_id text not null,
    artist text not null,
    collection text,
    token_id text not null,
    metadata_cid text not null,
    is_primary_issuer boolean not null,
    lock_external_transfer boolean not null,
    recipient text,
    royalty_basis_points int,
    status text not null,
    reason text,
    tx_hash text,
    block_number int8,
    created_at timestamptz not null default now()
  )`,
  `create unique index srr_external_id on sandbox.srr (issuer, md5(external_id))`,
  `create unique index srr_metadata on sandbox.srr (artist, metadata_cid) where status <> 'failed'`,
  `create unique index srr_token on sandbox.srr (coalesce(collection, ''), token_id) where status <> 'failed'`,
  `create index srr_waiting on sandbox.srr (id) where status = 'waiting_for_mining'`,
  `create index srr_mined on sandbox.srr (block_number)`,
  `create table sandbox.srr_chip (
    chip text primary key,
    srr int8 not null references sandbox.srr on delete cascade,
    issuer text not null
  )`,
  `create index srr_chip_srr on sandbox.srr_chip (srr)`,
  `create index srr_chip_issuer on sandbox.srr_chip (issuer)`,
  `create table sandbox.collection (
    id int8 generated always as identity primary key,
    address text not null,
    issuer text not null,
    name text not null,
    symbol text not null,
    salt text not null,
    status text not null,
    reason text,
    tx_hash text,
    block_number int8,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index collection_address on sandbox.collection (address)`,
  `create index collection_issuer on sandbox.collection (issuer)`,
  `create index collection_waiting on sandbox.collection (id) where status = 'waiting_for_mining'`,
  `create table sandbox.delivery (
    id uuid primary key,
    issuer text not null,
    type text not null,
    body text not null,
    status text not null default 'pending',
    attempts int not null default 0,
    next_attempt_at timestamptz not null default now(),
    last_status int,
    last_error text,
    created_at timestamptz not null default now(),
    settled_at timestamptz
  )`,
  `create index delivery_pending on sandbox.delivery (next_attempt_at) where status = 'pending'`,
  `create index delivery_created on sandbox.delivery (created_at)`,
  `create table sandbox.secret (name text primary key, value text not null)`,
];
