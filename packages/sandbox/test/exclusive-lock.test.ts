import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { Client } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, startSandbox } from '../src/start.ts';
import { startTestSandbox } from '../testing/sandbox.ts';

// The embedded database cannot be shared at all: its directory is locked.
describe.skipIf(process.env.TEST_DATABASE_URL === undefined)('a second sandbox on one database', () => {
  const lockId = 7_770_001;
  const cleanUp = new AsyncDisposableStack();
  afterAll(() => cleanUp.disposeAsync());

  /** A sandbox, a function that starts another one on its database, and a client of the database. */
  async function two() {
    const store = await testDatabase();
    cleanUp.defer(() => store.drop());
    const dataDir = await mkdtemp(join(tmpdir(), 'srr-second-'));
    cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
    const url = store.url as string;
    const replica = await openDatabase({ url, dataDir: '' }, silent);
    cleanUp.defer(() => replica.close());
    const admin = new Client({ connectionString: url });
    await admin.connect();
    cleanUp.defer(() => admin.end());
    const first = await startTestSandbox({ database: store.database });
    const settings = { ...readSettings({}), port: 0, rpcPort: 0 };
    const second = () => startSandbox({ settings, database: replica, dataDir, log: silent });
    return { first, second, admin, url };
  }

  const locks = async (admin: Client, granted: boolean) => {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid = ${lockId} and granted = ${granted}
        and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows;
  };
  const holders = async (admin: Client) => (await locks(admin, true)).length;
  const waiting = async (admin: Client) => (await locks(admin, false)).length;
  const endHolder = async (admin: Client) => {
    const [holder] = await locks(admin, true);
    await admin.query('select pg_terminate_backend($1, 5000)', [holder?.pid]);
  };

  it('is refused, with advice, while the first one is running', async () => {
    const { first, second } = await two();
    await expect(second()).rejects.toThrow('DATABASE_URL: another sandbox uses this database');
    await first.stop();
    await (await second()).stop();
  });

  it('names DATABASE_DIRECT_URL when that is unreachable', async () => {
    const { url } = await two();
    const direct = Object.assign(new URL(url), { pathname: '/nowhere' }).href;
    const pooled = await openDatabase({ url, directUrl: direct, dataDir: '' }, silent);
    cleanUp.defer(() => pooled.close());
    const settings = { ...readSettings({}), port: 0, rpcPort: 0 };
    const dataDir = await mkdtemp(join(tmpdir(), 'srr-nowhere-'));
    cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
    await expect(startSandbox({ settings, database: pooled, dataDir, log: silent })).rejects.toThrow(
      /^DATABASE_DIRECT_URL: the database nowhere at .* does not exist/,
    );
  });

  it('is refused also after PostgreSQL has ended the first one’s connections', async () => {
    const { first, second, admin } = await two();
    await endHolder(admin);
    await expect.poll(() => holders(admin), { timeout: 5_000 }).toBe(1);
    await expect(second()).rejects.toThrow('DATABASE_URL: another sandbox uses this database');
    await first.stop();
    expect(await holders(admin)).toBe(0);
  });

  it('ends the first one, if it took the database while PostgreSQL was down', async () => {
    const { first, admin, url } = await two();
    const faster = new Client({ connectionString: url });
    await faster.connect();
    const { sandbox } = first;
    // It already waits for the lock, so the first one is always too late.
    const taking = faster.query(`select pg_advisory_lock(${lockId})`);
    await expect.poll(() => waiting(admin)).toBe(1);
    await endHolder(admin);
    await taking;
    expect((await sandbox.lost).message).toContain('another sandbox uses this database');
    await expect(fetch(sandbox.url)).rejects.toThrow();
    await faster.end();
    await first.stop();
  });
});
