import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { createLogger } from '../src/log.ts';

/** Logs nothing, unless TEST_LOG names a level. */
export const silent = createLogger({ level: process.env.TEST_LOG ?? 'silent', name: 'test' });

/**
 * Opens an empty database for one test file: a new one on the server of TEST_DATABASE_URL, or PGlite in
 * memory. If it has a `url`, another replica can open it too. `drop` deletes its content.
 */
export async function testDatabase(): Promise<{ database: Database; url?: string; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined) return embedded();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await admin(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = await openDatabase({ url: url.href, dataDir: '' }, silent);
  return {
    database,
    url: url.href,
    drop: async () => {
      await database.close();
      await admin(server, `drop database ${name} with (force)`);
    },
  };
}

type Embedded = Extract<Database, { kind: 'pglite' }>;

/** Unused PGlites of this process. Emptying one takes a tenth of the time of starting one. */
const idle: { database: Embedded; uses: number }[] = [];

/** Uses of one PGlite. Nothing vacuums it, so with each emptying its system tables grow. */
const maxUses = 25;

async function embedded(): Promise<{ database: Database; drop(): Promise<void> }> {
  const { database, uses } = idle.pop() ?? { database: await openEmbedded(), uses: 0 };
  return {
    database,
    drop: async () => {
      if (uses + 1 === maxUses) return database.close();
      await empty(database);
      idle.push({ database, uses: uses + 1 });
    },
  };
}

async function openEmbedded(): Promise<Embedded> {
  const database = await openDatabase({ dataDir: 'memory://' }, silent);
  if (database.kind !== 'pglite') throw new Error('a database without a URL is a PGlite');
  return database;
}

async function empty({ lite }: Embedded): Promise<void> {
  await lite.exec(`
    do $$ declare name text;
    begin
      for name in select nspname from pg_namespace where nspname !~ '^(pg_|information_schema$)' loop
        execute format('drop schema %I cascade', name);
      end loop;
    end $$;
    create schema public;
  `);
  // Removes listeners, settings and advisory locks of the last user.
  await lite.exec('discard all');
}

async function admin(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
