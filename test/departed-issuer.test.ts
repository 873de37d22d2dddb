import { control } from '@srr-gateway/sandbox/testing/control';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTables } from '../src/store/store.ts';
import { entry } from './_util/entries.ts';
import { startTestGateway, type TestGateway } from './_util/gateway.ts';
import { issue, outcomeOf } from './_util/issuances.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { RECONCILE_AFTER: '1' } });
});
afterAll(() => gateway?.stop());

it('what was accepted for an issuer that has left the configuration is followed to its end by the subgraph', async () => {
  const { app, caller, info, issuers, sandbox } = gateway;
  // Nobody tells of the outcome, and none is there before the issuer has left.
  await control(sandbox.sandbox, 'faults', { kind: 'webhook', effect: 'drop', times: 100 });
  await control(sandbox.sandbox, 'settings', { miningIntervalMs: 3_600_000 });
  const picture = { upload: await caller.upload('picture.png', 'NON_ATTACHMENT_FILE', 'a picture') };
  const id = await issue(caller, { entries: [entry(info, 'left behind', picture)] });
  const db = await openTables(gateway.database);
  const row = Buffer.from(id, 'base64').toString().split(':')[1] as string;
  const status = async () =>
    (await db.selectFrom('issuance').select('status').where('id', '=', row).executeTakeFirstOrThrow()).status;
  await expect.poll(status).toBe('WAITING_FOR_MINING');
  app.replaceIssuers([]);
  await control(sandbox.sandbox, 'settings', { miningIntervalMs: 50 });
  await expect.poll(status, { timeout: 20_000 }).toBe('COMPLETED');
  app.replaceIssuers(issuers);
  expect((await outcomeOf(caller, id)).entries).toMatchObject([
    { status: 'ISSUED', outcomeSource: 'SUBGRAPH' },
  ]);
});

it('what was not sent for such an issuer ends, with its entries', async () => {
  const { app, caller, info, issuers } = gateway;
  const { createUploads } = await caller.data(
    `mutation { createUploads(input: { files: [{ filename: "promised.png", category: NON_ATTACHMENT_FILE }] }) {
      uploads { id }
    } }`,
  );
  const picture = { upload: createUploads.uploads[0].id };
  const id = await issue(caller, { entries: [entry(info, 'never sent', picture)] });
  app.replaceIssuers([]);
  const db = await openTables(gateway.database);
  const row = Buffer.from(id, 'base64').toString().split(':')[1] as string;
  const issuance = db.selectFrom('issuance').select('status').where('id', '=', row);
  await expect
    .poll(async () => (await issuance.executeTakeFirstOrThrow()).status, { timeout: 20_000 })
    .toBe('REJECTED');
  app.replaceIssuers(issuers);
  const { error, entries } = await outcomeOf(caller, id);
  expect(error).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(entries).toMatchObject([{ externalId: 'never sent', status: 'CANCELLED' }]);
});
