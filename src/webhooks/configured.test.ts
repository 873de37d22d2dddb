import { randomUUID } from 'node:crypto';
import { parseAddress } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { capturedLog } from '../../test/_util/captured-log.ts';
import { withTables } from '../../test/_util/with-tables.ts';
import { Issuers } from '../access/issuers.ts';
import { SecretBox } from '../access/secret-box.ts';
import { type Issuer, issuersFromJson } from '../config/issuers.ts';
import { Signals } from '../store/signals.ts';
import type { Db } from '../store/tables.ts';
import { ConfiguredEndpoints, dropUnconfigured, storeConfigured } from './configured.ts';
import { Webhooks, type WebhooksOptions } from './webhooks.ts';

const address = parseAddress('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed') as Issuer['address'];
const [shop, museum] = ['https://shop.example/hook', 'https://museum.example/hook'];

let db: Db;
withTables((opened) => {
  db = opened;
});
beforeEach(async () => {
  await db.deleteFrom('webhook_endpoint').execute();
});

const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`];
const issuersWith = (webhookEndpoints: object[]): Issuer[] =>
  issuersFromJson.parse([{ address, apiKey: 'a-configured-key', webhookEndpoints }]);

/** A replica that stores the configuration that it reads. */
function replica({ alone = false } = {}) {
  const configured = new ConfiguredEndpoints();
  return {
    async read(urls: string[] | undefined) {
      const issuers = urls ? issuersWith(urls.map((url) => ({ url, secrets }))) : [];
      configured.replace(issuers);
      for (const issuer of issuers) await storeConfigured(db, issuer);
      await dropUnconfigured(db, configured, alone);
    },
  };
}

const stored = async () =>
  (await db.selectFrom('webhook_endpoint').select('url').orderBy('url').execute()).map(({ url }) => url);

const setAge = (interval: string) =>
  db
    .updateTable('webhook_endpoint')
    .set({ configured_at: sql<Date>`clock_timestamp() - ${interval}::interval` })
    .execute();

it('a configured endpoint stays when a replica with an older configuration starts', async () => {
  await replica().read([shop, museum]);
  await replica().read([shop]);
  await replica().read(undefined);
  expect(await stored()).toEqual([museum, shop]);
});

it.each([
  ['endpoint', [shop]],
  ['issuer', undefined],
])(
  'a configured endpoint is deleted at once when a running replica reads a configuration without its %s',
  async (_, remaining) => {
    const running = replica();
    await running.read([shop, museum]);
    await running.read(remaining);
    expect(await stored()).toEqual(remaining ?? []);
  },
);

it('a configured endpoint is identified by its address in any notation', async () => {
  await replica().read(['https://SHOP.example:443']);
  await replica().read(['https://shop.example/']);
  expect(await stored()).toEqual(['https://shop.example/']);
});

it('a configured endpoint is deleted a day after the last replica had it', async () => {
  await replica().read([shop, museum]);
  await setAge('23 hours');
  await replica().read([shop]);
  expect(await stored()).toEqual([museum, shop]);
  await setAge('25 hours');
  await replica().read([shop, museum]);
  await replica().read([shop]);
  expect(await stored()).toEqual([museum, shop]);
  await setAge('25 hours');
  await replica().read([shop]);
  expect(await stored()).toEqual([shop]);
});

it('a configured endpoint has the description that was read last', async () => {
  for (const description of ['first', 'second'])
    await storeConfigured(db, issuersWith([{ url: shop, secrets, description }])[0] as Issuer);
  const read = db.selectFrom('webhook_endpoint').select('description');
  expect(await read.execute()).toEqual([{ description: 'second' }]);
});

it('a configured endpoint is deleted when a gateway without other replicas starts without it', async () => {
  await replica().read([shop, museum]);
  await replica({ alone: true }).read([shop]);
  expect(await stored()).toEqual([shop]);
});

it('a configured endpoint that its issuer had created stays as the endpoint of the issuer', async () => {
  const own = { id: randomUUID(), issuer: address, url: shop, cursor: '0' };
  await db
    .insertInto('webhook_endpoint')
    .values({ ...own, types: null, description: null, sealed_secret: Buffer.from('sealed') })
    .execute();
  const running = replica();
  await running.read([shop, museum]);
  const read = () => db.selectFrom('webhook_endpoint').select(['id', 'configured']).orderBy('url').execute();
  expect(await read()).toEqual([
    { id: expect.any(String), configured: true },
    { id: own.id, configured: true },
  ]);
  await running.read(undefined);
  expect(await read()).toEqual([{ id: own.id, configured: false }]);
});

/** Webhooks of one configured endpoint, which run until the test ends. */
async function startWebhooks({ urls = [shop], privateNetworks = [] as object[], log = silent } = {}) {
  const running = new Webhooks({
    db,
    signals: new Signals(),
    log,
    alone: false,
    events: { head: async () => '0', read: async () => [] },
    issuers: new Issuers(issuersWith(urls.map((url) => ({ url, secrets, types: ['SRR_ISSUED'] })))),
    box: new SecretBox(Buffer.alloc(32)),
    config: { privateNetworks, maxEndpoints: 10, keepMs: 1_000 },
    drainMs: 1_000,
    storeEveryMs: 50,
  } as unknown as WebhooksOptions);
  await running.start(async () => ({}));
  onTestFinished(() => running.stop());
}

it('a start deletes old deliveries, and looks for events that an older release stored', async () => {
  const disabled = {
    id: randomUUID(),
    issuer: address,
    url: museum,
    cursor: '0',
    status: 'DISABLED' as const,
  };
  const idle = { id: randomUUID(), issuer: address, url: `${museum}/2`, cursor: '0', next_at: null };
  const sealed_secret = Buffer.from('sealed');
  for (const row of [disabled, idle])
    await db
      .insertInto('webhook_endpoint')
      .values({ ...row, sealed_secret })
      .execute();
  const delivery = { id: randomUUID(), endpoint_id: disabled.id, cursor: '1', type: 'SRR_FAILED' };
  await db
    .insertInto('webhook_delivery')
    .values({ ...delivery, status: 'DELIVERED', attempts: '[]' })
    .execute();
  await sql`update gateway.webhook_delivery set created_at = 'epoch'`.execute(db);
  await db.deleteFrom('chore').execute();
  await startWebhooks();
  await expect.poll(() => db.selectFrom('webhook_delivery').select('id').execute()).toEqual([]);
  // Its secret cannot be read, so the look fails, and is repeated.
  const attempts = db.selectFrom('webhook_endpoint').select('attempts').where('id', '=', idle.id);
  await expect.poll(async () => (await attempts.executeTakeFirst())?.attempts).toBeGreaterThan(0);
});

it('a configured endpoint is stored again periodically, after a change by an older replica', async () => {
  await startWebhooks();
  await storeConfigured(db, issuersWith([{ url: shop, secrets, types: ['SRR_FAILED'] }])[0] as Issuer);
  await expect
    .poll(() => db.selectFrom('webhook_endpoint').select('types').execute())
    .toEqual([{ types: ['SRR_ISSUED'] }]);
});

it('a start warns of configured endpoints to which nothing can be sent', async () => {
  const urls = [shop, 'http://shop.example/hook?key=secret', 'https://museum.example:8443/hook'];
  const { log, lines } = capturedLog();
  await startWebhooks({ urls, log });
  const refused = (host: string) =>
    `ISSUERS: the webhook endpoint ${host} of ${address} gets nothing. It must be https at port 443, or its network must be in ALLOW_PRIVATE_WEBHOOKS.`;
  expect(lines().map(({ msg }) => msg)).toEqual([
    refused('http://shop.example'),
    refused('https://museum.example:8443'),
  ]);
  const allowing = capturedLog();
  const network = { address: '10.0.0.0', prefix: 8, family: 'ipv4' };
  await startWebhooks({ urls, log: allowing.log, privateNetworks: [network] });
  expect(allowing.lines()).toEqual([]);
});
