import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCollection } from '../../src/issuance/collections/create.ts';
import type { CollectionDeps } from '../../src/issuance/collections/creation.ts';
import { issuancesUnderWay, outcomesOverdue, queueAge } from '../../src/issuance/gauges.ts';
import type { Db } from '../../src/store/tables.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { storeIssuance } from '../_util/stored-issuance.ts';

const issuer = issuerNumber(990);
let store: EventStore;
let db: Db;
beforeAll(async () => {
  store = await eventStore();
  ({ db } = store.store);
});
afterAll(() => store?.stop());
beforeEach(async () => {
  await db.deleteFrom('collection_creation').execute();
  await db.deleteFrom('issuance').execute();
});

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const issuance = (row: object) =>
  storeIssuance(db, issuer, {
    issuance: { status: 'WAITING_FOR_MINING', ...row },
    batch: { status: 'ACCEPTED' },
    entries: [{ external_id: randomUUID(), status: 'WAITING_FOR_MINING' }],
  });
const collection = async (row: object) => {
  const requestId = randomUUID();
  const deps = { db, keys: { seal: () => null } } as unknown as CollectionDeps;
  const input = { requestId, name: 'Harbours', symbol: 'HRB' };
  await createCollection(deps, { issuer, apiKey: 'a-key' }, input);
  const of = db.updateTable('collection_creation').where('request_id', '=', requestId);
  if (Object.keys(row).length > 0) await of.set(row).execute();
};

it('the age of the queue is that of the oldest due issuance or collection without a lease', async () => {
  expect(await queueAge(db)).toBe(0);
  await collection({});
  expect(await queueAge(db)).toBeLessThan(60);
  await issuance({ next_at: ago(10), lease_owner: 'a worker', lease_until: ago(-1) });
  expect(await queueAge(db)).toBeLessThan(60);
  await issuance({ next_at: ago(2) });
  expect(await queueAge(db)).toBeCloseTo(120, -1);
  await collection({ next_at: ago(5) });
  expect(await queueAge(db)).toBeCloseTo(300, -1);
  // Its worker has died.
  await issuance({ next_at: ago(10), lease_owner: 'a worker', lease_until: ago(1) });
  expect(await queueAge(db)).toBeCloseTo(600, -1);
});

it('issuances under way are counted by status', async () => {
  for (const status of ['SUBMITTING', 'WAITING_FOR_MINING', 'SUBMITTING']) await issuance({ status });
  await issuance({ status: 'COMPLETED', completed_at: ago(1) });
  expect(await issuancesUnderWay(db)).toEqual({ SUBMITTING: 2, WAITING_FOR_MINING: 1 });
});

it('accepted work is overdue after an hour without an update', async () => {
  await issuance({ updated_at: ago(59) });
  await collection({ status: 'WAITING_FOR_MINING', updated_at: ago(59) });
  await issuance({ status: 'COMPLETED', updated_at: ago(90), completed_at: ago(90) });
  await issuance({ status: 'OUTCOME_UNKNOWN', updated_at: ago(90) });
  await collection({ status: 'ISSUED', updated_at: ago(90), next_at: null });
  expect(await outcomesOverdue(db)).toEqual({ issuance: 0, collection: 0 });
  await issuance({ updated_at: ago(61) });
  for (let n = 0; n < 2; n++) await collection({ status: 'WAITING_FOR_MINING', updated_at: ago(61) });
  expect(await outcomesOverdue(db)).toEqual({ issuance: 1, collection: 2 });
});
