import { testDatabase } from '@srr-gateway/common/testing/database';
import { control, query } from '@srr-gateway/sandbox/testing/control';
import { Kysely, sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, expect, it } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { entry } from '../_util/entries.ts';
import { finalOutcome, issue, outcomeOf } from '../_util/issuances.ts';
import { mintReader } from '../_util/minted-records.ts';
import { hasFormerQueue, makeVersion01 } from '../_util/older-store.ts';
import { startRecordedGateway } from '../_util/recorded-gateway.ts';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

it('work in progress of version 0.1 is completed once without its job queue', async () => {
  const recorded = await startRecordedGateway({
    // Long, so that work that waits for RECONCILE_AFTER fails the test.
    env: { RECONCILE_AFTER: '600', DRAIN_TIMEOUT: '0.2' },
  });
  cleanUps.push(() => recorded.stop());
  const { gateway, service } = recorded;
  const { caller, info } = gateway;
  const records = async (name: string, filename = `${name}.png`) => {
    const upload = await caller.upload(filename, 'NON_ATTACHMENT_FILE', `picture of ${name}`);
    return [1, 2].map((n) => entry(info, `${name}-${n}`, { upload }));
  };
  const { sandbox } = gateway.sandbox;
  await control(sandbox, 'settings', { webhooksPaused: true });
  const accepted = await issue(caller, { entries: await records('accepted') });
  const status = async (id: string) => (await outcomeOf(caller, id)).status;
  await expect.poll(() => status(accepted)).toBe('WAITING_FOR_MINING');
  const waiting = await issue(caller, { entries: await records('waiting', 'slow-hash-1.png') });
  const { createCollection } = await caller.data(
    `mutation { createCollection(input: { requestId: "made", name: "Works", symbol: "W" }) {
      collection { salt } userErrors { code }
    } }`,
  );
  expect(createCollection.userErrors).toEqual([]);
  // The request of this issuance is under way when the gateway stops.
  const sent = Promise.withResolvers<void>();
  service.beforeCall = async ({ call }) => {
    if (call !== 'srrs') return;
    sent.resolve();
    await new Promise(() => {});
  };
  const sending = await issue(caller, { entries: await records('sending') });
  await sent.promise;
  await gateway.app.stop();
  service.beforeCall = undefined;

  const db = new Kysely<never>({ dialect: gateway.database.dialect });
  await makeVersion01(db);
  const later = await gateway.replica();
  expect(await hasFormerQueue(db)).toBe(false);
  const { address: issuer, webhookKeys } = gateway.issuer;
  sandbox.setWebhook({ issuer, url: `${later.url}/webhooks/commerce`, key: webhookKeys[0] as string });
  await control(sandbox, 'settings', { webhooksPaused: false });
  for (const id of [accepted, waiting, sending])
    expect(await finalOutcome(later, id)).toMatchObject({
      status: 'COMPLETED',
      entries: [{ status: 'ISSUED' }, { status: 'ISSUED' }],
    });
  const collection = async () =>
    (await later.data('{ collectionCreation(requestId: "made") { status } }')).collectionCreation.status;
  await expect.poll(collection).toBe('ISSUED');
  const minted = (await mintReader(info)()).map(({ name }) => name);
  const mine = minted.filter((name) => /^(accepted|waiting|sending)-/.test(name));
  expect(mine.toSorted()).toEqual(
    ['accepted', 'sending', 'waiting'].flatMap((name) => [`${name}-1`, `${name}-2`]),
  );
  const { data } = await query(
    info,
    'query ($salt: Bytes) { collections(where: { salt: $salt }) { id } }',
    createCollection.collection,
  );
  expect(data.collections).toHaveLength(1);
}, 120_000);

it('the job queue of version 0.1 is dropped only when no replica of that version is connected', async () => {
  const test = await testDatabase();
  cleanUps.push(() => test.drop());
  const start = async () => {
    const store = await openStore(test.database);
    await store.close();
    return hasFormerQueue(store.db);
  };
  expect(await start()).toBe(false);
  await makeVersion01(new Kysely({ dialect: test.database.dialect }));
  // PGlite has only one connection, so no other version can run beside this one.
  if (test.url) {
    const old = new Client({ connectionString: test.url, application_name: 'pgboss' });
    await old.connect();
    const kept = await start().finally(() => old.end());
    expect(kept).toBe(true);
    const connected = async () =>
      (
        await sql`select from pg_stat_activity where application_name = 'pgboss'
        and datname = current_database()`.execute(new Kysely({ dialect: test.database.dialect }))
      ).rows.length;
    await expect.poll(connected).toBe(0);
  }
  expect(await Promise.all([start(), start()])).toEqual([false, false]);
});
