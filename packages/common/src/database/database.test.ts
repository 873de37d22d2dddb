import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../log.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const log = createLogger({ level: 'silent', name: 'test' });

describe('two callers on the embedded database', () => {
  let database: Database;
  let db: Kysely<{ note: { id: number; big: string; at: Date } }>;

  beforeAll(async () => {
    database = await openDatabase({ dataDir: 'memory://' }, log);
    db = new Kysely({ dialect: database.dialect });
  });
  beforeEach(async () => {
    await sql`drop table if exists note`.execute(db);
    await sql`create table note (id int primary key, big int8, at timestamptz default now())`.execute(db);
  });
  afterAll(() => database.close());

  it('keep their transactions apart', async () => {
    const rollback = db.transaction().execute(async (trx) => {
      await sql`insert into note (id) values (1)`.execute(trx);
      throw new Error('undo');
    });
    const outside = sql`insert into note (id) values (2)`.execute(db);
    const commit = db.transaction().execute((trx) => sql`insert into note (id) values (3)`.execute(trx));
    const results = await Promise.allSettled([rollback, outside, commit]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    const rows = await db.selectFrom('note').select('id').orderBy('id').execute();
    expect(rows.map((row) => row.id)).toEqual([2, 3]);
  });

  it('get large integers as text and times as Date, as from a server', async () => {
    await sql`insert into note (id, big) values (9, 9007199254740993)`.execute(db);
    const row = await db.selectFrom('note').selectAll().where('id', '=', 9).executeTakeFirstOrThrow();
    expect(row.big).toBe('9007199254740993');
    expect(row.at).toBeInstanceOf(Date);
  });

  it('send each other messages of one channel, and none to themselves', async () => {
    const received: unknown[] = [];
    const open = (who: string, name: string) =>
      database.openChannel(name, (messages) => received.push([who, messages]));
    const [one, two] = [await open('one', 'news'), await open('two', 'news')];
    await open('three', 'other');
    await one.send(['a', 'b']);
    expect(received).toEqual([['two', ['a', 'b']]]);
    await two.close();
    await one.send(['c']);
    expect(received).toHaveLength(1);
  });

  it('get an error for a failed query, and can go on', async () => {
    await expect(sql`select nonsense`.execute(db)).rejects.toThrow(/nonsense/);
    await expect(
      db.transaction().execute(async (trx) => {
        await sql`insert into note (id) values (null)`.execute(trx).catch(() => {});
        await sql`insert into note (id) values (20)`.execute(trx);
      }),
    ).rejects.toThrow(/aborted/);
    expect(await db.selectFrom('note').select('id').where('id', '=', 20).execute()).toEqual([]);
  });
});

it('a transaction on an embedded database that is closed fails', async () => {
  const database = await openDatabase({ dataDir: 'memory://' }, log);
  await database.close();
  const db = new Kysely({ dialect: database.dialect });
  await expect(db.transaction().execute(async () => {})).rejects.toThrow('closed');
});

describe('the directory of the embedded database', () => {
  it('is created again when a kill left it incomplete, and keeps its content from then on', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'database-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const withDatabase = async <T>(work: (db: Kysely<unknown>) => Promise<T>): Promise<T> => {
      const database = await openDatabase({ dataDir }, log);
      return work(new Kysely({ dialect: database.dialect })).finally(() => database.close());
    };
    const cluster = join(dataDir, 'pglite');
    mkdirSync(cluster);
    writeFileSync(join(cluster, 'PG_VERSION'), '');
    writeFileSync(`${cluster}.incomplete`, '');
    await withDatabase((db) => sql`create table note as select 1 as id`.execute(db));
    expect(existsSync(`${cluster}.incomplete`)).toBe(false);
    const { rows } = await withDatabase((db) => sql`select id from note`.execute(db));
    expect(rows).toEqual([{ id: 1 }]);
  });
});
