import { openDatabase } from '@srr-gateway/common/database/open-database';
import { silent, testDatabase } from '@srr-gateway/common/testing/database';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { forwarder } from '../_util/forwarder.ts';

const isServer = process.env.TEST_DATABASE_URL !== undefined;
/** A number of bytes that is larger than the buffers of both sockets. */
const tooMuch = 50_000_000;

it.skipIf(!isServer)(
  'a database client that stops reading its rows loses its locks after ten seconds',
  async () => {
    const { database, url = '', drop } = await testDatabase();
    onTestFinished(drop);
    const others = new Kysely<object>({ dialect: database.dialect });
    await sql`create table lock as select 1 as id`.execute(others);

    const through = new URL(url);
    const network = await forwarder(Number(through.port || 5432));
    through.port = String(network.port);
    const paused = await openDatabase({ url: through.href, dataDir: '' }, silent);
    onTestFinished(() => paused.close());
    onTestFinished(() => network[Symbol.asyncDispose]());
    paused.boundStatements();
    const locked = Promise.withResolvers<void>();
    const transaction = new Kysely<object>({ dialect: paused.dialect }).transaction().execute(async (trx) => {
      await sql`select id from lock for update`.execute(trx);
      network.cut('answers');
      locked.resolve();
      await sql`select repeat('x', ${sql.lit(tooMuch)})`.execute(trx);
    });
    const ended = transaction.catch((error: Error) => error.message);
    await locked.promise;

    const free = async () =>
      (await sql`select id from lock for update skip locked`.execute(others)).rows.length;
    expect(await free()).toBe(0);
    await expect.poll(free, { timeout: 20_000, interval: 500 }).toBe(1);
    network.heal();
    expect(await ended).toMatch(/connection/i);
  },
  40_000,
);
