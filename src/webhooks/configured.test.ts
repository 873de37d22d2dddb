import { parseAddress } from '@srr-gateway/common/address';
import { testDatabase } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Issuer, issuersFromJson } from '../config/issuers.ts';
import { openTables } from '../store/store.ts';
import type { Db } from '../store/tables.ts';
import { ConfiguredEndpoints, dropUnconfigured, storeConfigured } from './configured.ts';

const address = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') as Issuer['address'];
const [shop, museum] = ['https://shop.example/hook', 'https://museum.example/hook'];

let test: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
beforeAll(async () => {
  test = await testDatabase();
  db = await openTables(test.database);
});
afterAll(() => test?.drop());
beforeEach(async () => {
  await db.deleteFrom('webhook_endpoint').execute();
});

/** A replica, which stores the configuration that it reads. */
function replica({ alone = false } = {}) {
  const configured = new ConfiguredEndpoints();
  return {
    async read(urls: string[] | undefined) {
      const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
      const webhookEndpoints = urls?.map((url) => ({ url, secrets }));
      const issuers = webhookEndpoints
        ? issuersFromJson.parse([{ address, apiKey: 'a-configured-key', webhookEndpoints }])
        : [];
      configured.replace(issuers);
      for (const issuer of issuers) await storeConfigured(db, issuer);
      await dropUnconfigured(db, configured, alone);
    },
  };
}

const stored = async () =>
  (await db.selectFrom('webhook_endpoint').select('url').orderBy('url').execute()).map(({ url }) => url);

const age = (interval: string) =>
  db
    .updateTable('webhook_endpoint')
    .set({ configured_at: sql<Date>`clock_timestamp() - ${interval}::interval` })
    .execute();

it('stays when a replica with an older configuration starts', async () => {
  await replica().read([shop, museum]);
  await replica().read([shop]);
  await replica().read(undefined);
  expect(await stored()).toEqual([museum, shop]);
});

it.each([
  ['endpoint', [shop]],
  ['issuer', undefined],
])('goes at once when its %s leaves the configuration of a running replica', async (_, left) => {
  const running = replica();
  await running.read([shop, museum]);
  await running.read(left);
  expect(await stored()).toEqual(left ?? []);
});

it('goes a day after the last replica that had it', async () => {
  await replica().read([shop, museum]);
  await age('23 hours');
  await replica().read([shop]);
  expect(await stored()).toEqual([museum, shop]);
  await age('25 hours');
  await replica().read([shop]);
  expect(await stored()).toEqual([shop]);
});

it('goes at the start of a gateway without other replicas', async () => {
  await replica().read([shop, museum]);
  await replica({ alone: true }).read([shop]);
  expect(await stored()).toEqual([shop]);
});
