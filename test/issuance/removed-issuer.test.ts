import { randomBytes, randomUUID } from 'node:crypto';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import { control } from '@srr-gateway/sandbox/testing/control';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openTables } from '../../src/store/store.ts';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';
import { issue, outcomeOf } from '../_util/issuances.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RECONCILE_AFTER: '1' } });
});
afterAll(() => gateway?.stop());

it('accepted work of an issuer that left the configuration is completed from the subgraph', async () => {
  const { app, caller, info, issuers, sandbox } = gateway;
  // No delivery comes, and there is no outcome before the issuer has left.
  await control(sandbox.sandbox, 'faults', { kind: 'webhook', effect: 'drop', times: 100 });
  await control(sandbox.sandbox, 'settings', { miningIntervalMs: 3_600_000 });
  const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  const id = await issue(caller, { entries: [entry(info, randomUUID(), picture)] });
  const db = await openTables(gateway.database);
  const row = Buffer.from(id, 'base64').toString().split(':')[1] as string;
  const status = async () =>
    (await db.selectFrom('issuance').select('status').where('id', '=', row).executeTakeFirstOrThrow()).status;
  await expect.poll(status).toBe('WAITING_FOR_MINING');
  app.replaceIssuers([]);
  onTestFinished(() => app.replaceIssuers(issuers));
  await control(sandbox.sandbox, 'settings', { miningIntervalMs: 50 });
  await expect.poll(status, { timeout: 20_000 }).toBe('COMPLETED');
  app.replaceIssuers(issuers);
  expect((await outcomeOf(caller, id)).entries).toMatchObject([
    { status: 'ISSUED', outcomeSource: 'SUBGRAPH' },
  ]);
});

it('unsent work of an issuer that left the configuration is rejected, with its entries', async () => {
  const { app, caller, info, issuers } = gateway;
  const { createUploads } = await caller.data(
    `mutation { createUploads(input: { files: [{ filename: "promised.png", category: NON_ATTACHMENT_FILE }] }) {
      uploads { id }
    } }`,
  );
  const picture = { upload: createUploads.uploads[0].id };
  const id = await issue(caller, { entries: [entry(info, 'never sent', picture)] });
  app.replaceIssuers([]);
  onTestFinished(() => app.replaceIssuers(issuers));
  const db = await openTables(gateway.database);
  const row = Buffer.from(id, 'base64').toString().split(':')[1] as string;
  await sql`update gateway.issuance set created_at = clock_timestamp() - interval '61 minutes', next_at = clock_timestamp()
    where id = ${row}`.execute(db);
  const issuance = db.selectFrom('issuance').select('status').where('id', '=', row);
  await expect
    .poll(async () => (await issuance.executeTakeFirstOrThrow()).status, { timeout: 20_000 })
    .toBe('REJECTED');
  app.replaceIssuers(issuers);
  const { error, entries } = await outcomeOf(caller, id);
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(entries).toMatchObject([{ externalId: 'never sent', status: 'CANCELLED' }]);
  const { events } = await caller.data(
    'query ($id: ID!) { events(where: { issuance: $id }) { edges { node { type } } } }',
    { id },
  );
  expect(events.edges).toEqual([{ node: { type: 'ISSUANCE_REJECTED' } }]);
});

const newIssuer = () => parseAddress(`0x${randomBytes(20).toString('hex')}`) as Address;

it('unsent work of an issuer unknown to this replica waits for other replicas at first', async () => {
  const issuer = newIssuer();
  const ids = [randomUUID(), randomUUID()];
  const db = await openTables(gateway.database);
  await sql`insert into gateway.issuance (id, issuer, request_id, fingerprint, batching, status, next_at)
    values (${ids[0]}, ${issuer}, 'new', '', 'BATCHES', 'WAITING_FOR_FILES', clock_timestamp())`.execute(db);
  await sql`insert into gateway.collection_creation
      (id, issuer, request_id, fingerprint, name, symbol, status, next_at)
    values (${ids[1]}, ${issuer}, 'new', '', 'New', 'NEW', 'PENDING', clock_timestamp())`.execute(db);
  const states = async () =>
    (
      await sql<{ status: string; waits: boolean }>`
        select status, next_at > clock_timestamp() as waits from gateway.issuance where id = ${ids[0]} union all
        select status, next_at > clock_timestamp() as waits from gateway.collection_creation where id = ${ids[1]}`.execute(
        db,
      )
    ).rows;
  await expect.poll(states, { timeout: 20_000 }).toEqual([
    { status: 'WAITING_FOR_FILES', waits: true },
    { status: 'PENDING', waits: true },
  ]);
  for (const table of ['issuance', 'collection_creation'])
    await sql`update ${sql.table(`gateway.${table}`)} set next_at = clock_timestamp(),
      created_at = clock_timestamp() - interval '61 minutes' where issuer = ${issuer}`.execute(db);
  await expect
    .poll(async () => (await states()).map(({ status }) => status), { timeout: 20_000 })
    .toEqual(['REJECTED', 'FAILED']);
});

it('sent work of an issuer unknown to this replica waits only seconds for other replicas', async () => {
  const issuer = newIssuer();
  const db = await openTables(gateway.database);
  await storeIssuance(db, issuer, {
    issuance: { status: 'OUTCOME_UNKNOWN', next_at: new Date() },
    batch: { status: 'UNKNOWN', sent: 1, first_sent_at: new Date(), last_sent_at: new Date() },
    entries: [{ external_id: 'sent', status: 'PENDING', payload: '{"artistAddress":"","metadata":{}}' }],
  });
  await sql`insert into gateway.collection_creation
      (id, issuer, request_id, fingerprint, name, symbol, salt, status, sent, unanswered_at, next_at)
    values (${randomUUID()}, ${issuer}, 'sent', '', 'New', 'NEW', ${`0x${'7'.repeat(64)}`}, 'PENDING', 1,
      clock_timestamp(), clock_timestamp())`.execute(db);
  const waits = async () =>
    (
      await sql<{
        waits: boolean;
      }>`select lease_owner is null and next_at > clock_timestamp() + interval '5 seconds'
          and next_at < clock_timestamp() + interval '16 seconds' as waits from (
        select issuer, lease_owner, next_at from gateway.issuance union all
        select issuer, lease_owner, next_at from gateway.collection_creation
      ) as work where issuer = ${issuer}`.execute(db)
    ).rows;
  await expect.poll(waits, { timeout: 20_000 }).toEqual([{ waits: true }, { waits: true }]);
});

it('a passed-through API key is erased once its work is accepted', async () => {
  const { app, info, issuer, issuers, sandbox } = gateway;
  await control(sandbox.sandbox, 'faults', { kind: 'webhook', effect: 'drop', times: 100 });
  await control(sandbox.sandbox, 'settings', { miningIntervalMs: 3_600_000 });
  app.replaceIssuers([]);
  onTestFinished(() => app.replaceIssuers(issuers));
  const headers = { 'commerce-api-key': issuer.apiKey, 'issuer-address': issuer.address };
  const caller = new GraphQLCaller(app.url, headers);
  const picture = { upload: await caller.upload('own-key.png', 'NON_ATTACHMENT_FILE', 'their picture') };
  const requestId = randomUUID();
  const db = await openTables(gateway.database);
  const keyed = async () => {
    const { rows } = await sql<{ status: string; keyed: boolean }>`
      select status, sealed_key is not null as keyed from gateway.issuance where request_id = ${requestId}
      union all
      select status, sealed_key is not null from gateway.collection_creation where request_id = ${requestId}`.execute(
      db,
    );
    return rows;
  };
  await issue(caller, { requestId, entries: [entry(info, requestId, picture)] });
  await caller.data(
    `mutation { createCollection(input: { requestId: "${requestId}", name: "Own", symbol: "OWN" }) {
      userErrors { code } } }`,
  );
  await expect.poll(keyed, { timeout: 20_000 }).toEqual([
    { status: 'WAITING_FOR_MINING', keyed: false },
    { status: 'WAITING_FOR_MINING', keyed: false },
  ]);
});
