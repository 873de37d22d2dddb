import type { OnMessages } from '@srr-gateway/common/channel';
import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { Kysely, sql } from 'kysely';
import { withCommitHook } from './after-commit.ts';
import { openServerChannel } from './channels/server-channel.ts';
import { explainReadOnly, migrate } from './migrate.ts';
import { Signals } from './signals.ts';
import type { Db, Tables } from './tables.ts';

export type { Db } from './tables.ts';

/** The tables and the wake-ups on one database. */
export interface Store {
  db: Db;
  signals: Signals;
  /** Leaves the database itself open for its owner to close. */
  close(): Promise<void>;
}

/** Migrates the schema and opens the tables, without signals to other processes. @throws when a migration fails. */
export function openTables(database: Database): Promise<Db> {
  return openWith(database, new Signals());
}

async function openWith(database: Database, signals: Signals): Promise<Db> {
  const dialect = withCommitHook(database.dialect, signals.committed);
  const kysely = new Kysely<Tables>({ dialect });
  await migrate(kysely as unknown as Kysely<never>);
  return kysely.withSchema('gateway');
}

/** A server that carries signals instead of PostgreSQL's notifications. */
export interface SignalServer {
  /** `nats://…`, `redis://…` or `valkey://…`, with its credentials. */
  url: string;
  log: Logger;
}

/** Migrates the schema and starts the wake-ups. @throws when the database cannot be used. */
export async function openStore(database: Database, server?: SignalServer): Promise<Store> {
  const signals = new Signals();
  const db = await openWith(database, signals);
  // If nothing is left to migrate, this is the first statement that writes.
  await dropFormerQueue(db).catch((error: unknown) => {
    throw explainReadOnly(error);
  });
  database.boundStatements();
  const name = 'srr_gateway';
  await signals.connect(async (onMessages: OnMessages) =>
    server
      ? openServerChannel({ ...server, name: `${name}_${await idOf(db)}`, onMessages })
      : database.openChannel(name, onMessages),
  );
  return { db, signals, close: () => signals.close() };
}

/** An id that tells this database from others with the same signal server, and is the same for all its addresses. */
async function idOf(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select md5(current_database() || min(timestamp)) as id from gateway.kysely_migration`.execute(db);
  return rows[0]?.id ?? '';
}

/**
 * Drops the job queue of version 0.1, whose jobs only named due rows. Leaves it while a replica of that
 * version is connected; a later start drops it.
 */
async function dropFormerQueue(db: Db): Promise<void> {
  await sql`
    do $$ begin
      -- Replicas that start together wait here, and the second finds nothing to drop.
      perform pg_advisory_xact_lock(hashtext('gateway_jobs'));
      if not exists (
        select from pg_stat_activity where datname = current_database() and application_name = 'pgboss'
      ) then
        drop schema if exists gateway_jobs cascade;
      end if;
    end $$`.execute(db);
}
