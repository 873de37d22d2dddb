import { type Kysely, sql } from 'kysely';

/** Partners' endpoints, each with its place in the event log, and what was delivered to them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table gateway.webhook_endpoint (
    id uuid primary key,
    issuer text not null,
    url text not null,
    types text[],
    description text,
    configured boolean not null default false,
    status text not null default 'ENABLED',
    sealed_secret bytea,
    sealed_previous bytea,
    previous_until timestamptz(3),
    cursor bigint not null,
    has_more boolean not null default false,
    failing_since timestamptz(3),
    attempts int not null default 0,
    next_at timestamptz(3),
    lease_owner text,
    lease_until timestamptz(3),
    created_at timestamptz(3) not null default clock_timestamp(),
    unique (issuer, url)
  )`,
  `create index webhook_endpoint_due on gateway.webhook_endpoint (next_at) where next_at is not null`,
  `create index webhook_endpoint_due_by_issuer on gateway.webhook_endpoint (issuer, next_at)
    where next_at is not null`,
  `create table gateway.webhook_delivery (
    id uuid primary key,
    endpoint_id uuid not null references gateway.webhook_endpoint (id) on delete cascade,
    cursor bigint,
    type text not null,
    status text not null,
    attempts jsonb not null default '[]',
    attempt_count int not null default 0,
    first_at timestamptz(3) not null default clock_timestamp(),
    next_at timestamptz(3),
    created_at timestamptz(3) not null default clock_timestamp(),
    delivered_at timestamptz(3)
  )`,
  `create index webhook_delivery_by_time on gateway.webhook_delivery (endpoint_id, created_at, id)`,
  `create index webhook_delivery_due on gateway.webhook_delivery (endpoint_id, next_at)
    where next_at is not null`,
  `create index webhook_delivery_old on gateway.webhook_delivery (created_at)`,
];
