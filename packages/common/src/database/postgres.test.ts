import { randomUUID } from 'node:crypto';
import { Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../log.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const url = process.env.TEST_DATABASE_URL;

const log = createLogger({ level: 'silent', name: 'test' });

it('names the variable and the address of a database whose certificate cannot be read', async () => {
  const address = 'postgres://user:secret@db.example/shop?sslmode=verify-full&sslrootcert=/absent.pem';
  const opening = openDatabase({ url: address, dataDir: '' }, log);
  await expect(opening).rejects.toThrow(
    /^DATABASE_URL: the database shop at db\.example cannot be used \(ENOENT.*\/absent\.pem/,
  );
});

it.skipIf(url === undefined).each([
  [
    'encoding lacks letters that titles have',
    (name: string) => [`create database ${name} encoding 'LATIN1' locale 'C' template template0`],
    'has the encoding LATIN1, .* UTF8',
  ],
  [
    'times cannot be read',
    (name: string) => [`create database ${name}`, `alter database ${name} set DateStyle = 'German'`],
    `has DateStyle "German, DMY" .* DateStyle = 'ISO'`,
  ],
  [
    'transactions do not see what others have committed',
    (name: string) => [
      `create database ${name}`,
      `alter database ${name} set default_transaction_isolation = 'repeatable read'`,
    ],
    `has default_transaction_isolation "repeatable read" .* = 'read committed'`,
  ],
])('refuses a database whose %s', async (_, statements, message) => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    for (const statement of statements(name)) await admin.query(statement);
    const address = new URL(url as string);
    address.pathname = `/${name}`;
    await expect(openDatabase({ url: address.href, dataDir: '' }, log)).rejects.toThrow(
      new RegExp(`^DATABASE_URL: the database ${name} at .* ${message}`),
    );
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
});

describe.skipIf(url === undefined)('a database server that goes away', () => {
  let database: Database;
  let db: Kysely<object>;

  beforeAll(async () => {
    database = await openDatabase({ url, dataDir: '' }, log);
    db = new Kysely({ dialect: database.dialect });
  });
  afterAll(() => database.close());

  it('between two statements of a transaction fails that transaction, not the process', async () => {
    const transaction = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      const pid = rows[0]?.pid;
      await sql`select pg_terminate_backend(${pid})`.execute(db);
      const alive = async () =>
        (await sql`select 1 from pg_stat_activity where pid = ${pid}`.execute(db)).rows.length;
      await expect.poll(alive).toBe(0);
      await sql`select 1`.execute(trx);
    });
    await expect(transaction).rejects.toThrow(/connection/i);
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  });

  it('ends a transaction of a client that went silent, and only in transactions', async () => {
    const limits = async (of: Kysely<object>) =>
      (
        await sql<{ idle: string; lock: string }>`
          select current_setting('idle_in_transaction_session_timeout') as idle,
            current_setting('lock_timeout') as lock`.execute(of)
      ).rows[0];
    const none = { idle: '0', lock: '0' };
    const bounded = { idle: '10s', lock: '5s' };
    expect(await db.transaction().execute(limits)).toEqual(none);
    database.boundStatements();
    expect(await db.transaction().execute(limits)).toEqual(bounded);
    expect(await db.transaction().setIsolationLevel('serializable').execute(limits)).toEqual(bounded);
    expect(await limits(db)).toEqual(none);
  });
});
