import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { repeatUntilDone, startTask } from '../../src/store/maintenance.ts';
import { migrate } from '../../src/store/migrate.ts';
import { Signals } from '../../src/store/signals.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { capturedLog } from '../_util/captured-log.ts';

it.each([
  ['new', 'database'],
  // This happens when another user has restored a backup.
  ['migrated', 'schema'],
])('the store reports the missing right of the user of a %s database on its %s', async (state, what) => {
  const { database, drop } = await testDatabase();
  onTestFinished(drop);
  const user = `limited_${randomUUID().replaceAll('-', '')}`;
  await new Kysely<never>({ dialect: database.dialect }).connection().execute(async (db) => {
    if (state === 'migrated') await migrate(db);
    await sql`create role ${sql.id(user)}`.execute(db);
    await sql`set role ${sql.id(user)}`.execute(db);
    try {
      await expect(migrate(db)).rejects.toMatchObject({
        name: 'StartError',
        message: expect.stringMatching(
          new RegExp(`^DATABASE_URL: permission denied for ${what} .*must own the schema`),
        ),
      });
    } finally {
      await sql`reset role`.execute(db);
      await sql`drop role ${sql.id(user)}`.execute(db);
    }
  });
});

it.each(['new', 'migrated'])(
  'the store reports what to do about a %s database that is read-only',
  async (state) => {
    const { database, drop } = await testDatabase();
    onTestFinished(drop);
    const db = new Kysely<never>({ dialect: database.dialect });
    if (state === 'migrated') await migrate(db);
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
    const name = sql.id(rows[0]?.name ?? '');
    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
    // PGlite has one session, which has already started.
    await sql`set default_transaction_read_only = on`.execute(db);
    onTestFinished(async () => {
      await sql`set default_transaction_read_only = off`.execute(db);
    });
    await expect(openStore(database)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^DATABASE_URL: cannot execute .*read-only.*primary server/),
    });
  },
);

describe('the store', () => {
  let test: Awaited<ReturnType<typeof testDatabase>>;
  let store: Store;

  beforeAll(async () => {
    test = await testDatabase();
    store = await openStore(test.database);
  });
  afterAll(async () => {
    await store.close();
    await test.drop();
  });

  it('is migrated once, even when replicas start at the same time', async () => {
    const replicas = test.url
      ? await Promise.all([1, 2, 3].map(() => openDatabase({ url: test.url, dataDir: '' }, silent)))
      : [test.database];
    const stores = await Promise.all(replicas.map((replica) => openStore(replica)));
    const { rows } = await sql<{ name: string }>`select name from gateway.kysely_migration`.execute(store.db);
    const files = await readdir('src/store/migrations');
    expect(rows.map((row) => `${row.name}.ts`).toSorted()).toEqual(files.toSorted());
    await Promise.all(stores.map((one) => one.close()));
    if (test.url) await Promise.all(replicas.map((one) => one.close()));
  });

  it('refuses a database that a newer version has migrated, and reports what to do', async () => {
    const { db } = store;
    const name = '9999-of-a-newer-version';
    await sql`insert into gateway.kysely_migration (name, timestamp) values (${name}, '')`.execute(db);
    onTestFinished(async () => {
      await sql`delete from gateway.kysely_migration where name = ${name}`.execute(db);
    });
    await expect(openStore(test.database)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/newer version .*\(9999-of-a-newer-version\).*upgrading\.md/),
    });
  });

  it('refuses a database after half a roll-back, and names what is left', async () => {
    const { db } = store;
    const name = '0019-events-by-collection';
    await sql`delete from gateway.kysely_migration where name = ${name}`.execute(db);
    onTestFinished(async () => {
      await sql`insert into gateway.kysely_migration (name, timestamp) values (${name}, '')`.execute(db);
    });
    await expect(openStore(test.database)).rejects.toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(
        /0019-events-by-collection .*"event_by_collection" already exists.*roll-back/,
      ),
    });
  });

  it('wakes waiters when the transaction commits, and not earlier', async () => {
    const stop = new AbortController();
    let ticks = 0;
    const waiting = (async () => {
      for await (const _ of store.signals.ticks('events', 'x', stop.signal, 60_000)) ticks++;
    })();
    await expect.poll(() => ticks).toBe(1);
    await store.db.transaction().execute(async (trx) => {
      await Signals.send(trx, 'events', 'x');
      await Signals.send(trx, 'events', 'somebody else');
      expect(ticks).toBe(1);
    });
    await expect.poll(() => ticks).toBe(2);
    // The signals of a transaction do not come again with the next statement on its connection.
    await sql`select`.execute(store.db);
    await setImmediate();
    stop.abort();
    await waiting;
    expect(ticks).toBe(2);
  });

  it('lets one replica run a recurring task in each interval', async () => {
    // The interval of another one has begun when the test is retried.
    const task = `a task ${randomUUID()}`;
    const run = vi.fn(async () => {});
    const replicas = [1, 2].map(() => startTask({ db: store.db, log: silent }, task, 60_000, run));
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('runs a recurring task again after a failure, and logs that', async () => {
    const { log, lines } = capturedLog();
    const run = vi.fn(async () => {}).mockRejectedValueOnce(new Error('no space'));
    const { stop } = startTask({ db: store.db, log }, 'a failing task', 1, run);
    await expect.poll(() => run.mock.calls.length).toBeGreaterThan(1);
    await stop();
    expect(lines()).toMatchObject([{ level: 40, task: 'a failing task', err: { message: 'no space' } }]);
  });
});

it('a statement that is repeated until nothing is left ends at a stop', async () => {
  const stopping = new AbortController();
  let runs = 0;
  const statement = async () => {
    if (++runs === 2) stopping.abort();
    return { rows: runs < 5 ? [{}] : [] };
  };
  await expect(repeatUntilDone(1, stopping.signal, statement)).rejects.toThrow();
  expect(runs).toBe(2);
});
