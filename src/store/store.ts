import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { Kysely } from 'kysely';
import { type Jobs, startJobs } from './jobs.ts';
import { migrate } from './migrate.ts';
import { Signals } from './signals.ts';
import type { Db, Tables } from './tables.ts';

export type { Db } from './tables.ts';

/** The tables, the job queue and the wake-ups on one database. */
export interface Store {
  db: Db;
  jobs: Jobs;
  signals: Signals;
  /** Leaves the database itself open for its owner to close. */
  close(): Promise<void>;
}

/** Migrates the schema and opens the tables only. @throws when a migration fails. */
export async function openTables(database: Database): Promise<Db> {
  const kysely = new Kysely<Tables>({ dialect: database.dialect });
  await migrate(kysely as unknown as Kysely<never>);
  return kysely.withSchema('gateway');
}

/** Migrates the schema, and starts wake-ups and the job queue. @throws when the database cannot be used. */
export async function openStore(database: Database, log: Logger): Promise<Store> {
  const db = await openTables(database);
  const signals = await Signals.open(database);
  const jobs = await startJobs(database, db, signals, log);
  return {
    db,
    jobs,
    signals,
    close: async () => {
      await jobs.stop();
      await signals.close();
    },
  };
}
