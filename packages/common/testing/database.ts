import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { createLogger } from '../src/log.ts';

/** Logs nothing, unless TEST_LOG names a level. */
export const silent = createLogger({ level: process.env.TEST_LOG ?? 'silent', name: 'test' });

/**
 * Opens a fresh database for one test file: a new one on the server of TEST_DATABASE_URL, or PGlite in
 * memory. Where there is a `url`, another replica can open it too. `drop` closes and deletes it.
 */
export async function testDatabase(): Promise<{ database: Database; url?: string; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  if (server === undefined) {
    const database = await openDatabase({ dataDir: 'memory://' }, silent);
    return { database, drop: () => database.close() };
  }
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

async function admin(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
