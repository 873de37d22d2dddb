import { testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import * as issuanceAndEvents from '../../src/store/migrations/0001-issuance-and-events.ts';
import * as workInFlight from '../../src/store/migrations/0002-work-in-flight.ts';
import * as housekeeping from '../../src/store/migrations/0003-housekeeping.ts';
import * as eventRetention from '../../src/store/migrations/0004-event-retention.ts';

const older = {
  '0001-issuance-and-events': issuanceAndEvents,
  '0002-work-in-flight': workInFlight,
  '0003-housekeeping': housekeeping,
  '0004-event-retention': eventRetention,
};

/** A store of an older version, for a test to fill and then to migrate. */
export async function olderStore(): Promise<{ db: Kysely<never>; drop(): Promise<void> }> {
  const { database, drop } = await testDatabase();
  const db = new Kysely<never>({ dialect: database.dialect });
  const provider = { getMigrations: async () => older };
  const { error } = await new Migrator({ db, provider, migrationTableSchema: 'gateway' }).migrateToLatest();
  if (error) throw error;
  return { db, drop };
}

/**
 * Turns a migrated store into one of version 0.1: without later migrations, and with the job queue of that
 * version, which had a job for each row. The leases of its killed processes expire after a second.
 */
export async function makeVersion01(db: Kysely<never>): Promise<void> {
  for (const statement of [
    `drop index gateway.issuance_due_by_issuer, gateway.collection_creation_due_by_issuer,
      gateway.upload_by_time, gateway.event_about_collection, gateway.issuance_entry_by_batch,
      gateway.event_by_collection`,
    'drop table gateway.webhook_delivery, gateway.webhook_endpoint, gateway.sealing_key',
    `delete from gateway.kysely_migration where name > '0011-collection-creations'`,
    'create schema gateway_jobs',
    `create type gateway_jobs.job_state as enum ('created', 'active')`,
    `create function gateway_jobs.job_now() returns timestamptz as 'select now()' language sql stable`,
    `create table gateway_jobs.job (name text, id uuid default gen_random_uuid(), data jsonb,
      state gateway_jobs.job_state, start_after timestamptz default gateway_jobs.job_now(),
      primary key (name, id)) partition by list (name)`,
    'create table gateway_jobs.job_common partition of gateway_jobs.job default',
    `insert into gateway_jobs.job (name, data, state)
      select 'issuance', jsonb_build_object('key', id, 'owner', issuer), 'active' from gateway.issuance
      where next_at is not null`,
    ...['issuance', 'collection_creation'].map(
      (table) => `update gateway.${table} set next_at = least(next_at, now()), ask_index_at = now(),
        lease_owner = 'a process that was killed', lease_until = now() + interval '1 s'
        where next_at is not null`,
    ),
  ])
    await sql.raw(statement).execute(db);
}

/** Whether the store has the job queue of version 0.1. */
export async function hasFormerQueue(db: Pick<Kysely<never>, 'getExecutor'>): Promise<boolean> {
  const { rows } = await sql`select from pg_namespace where nspname = 'gateway_jobs'`.execute(db);
  return rows.length > 0;
}
