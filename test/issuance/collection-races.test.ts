import { randomBytes, randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRefusal } from '../../src/clients/commerce/refusal.ts';
import { appendDeliveries } from '../../src/events/append-deliveries.ts';
import { parseDelivery } from '../../src/events/parse-delivery.ts';
import { applyDeliveries } from '../../src/issuance/apply-deliveries.ts';
import type { CollectionCreationRow, CollectionDeps } from '../../src/issuance/collections/creation.ts';
import { collectionWorker } from '../../src/issuance/collections/worker.ts';
import { UpstreamError } from '../../src/model/errors.ts';
import { collectionEvents } from '../../src/store/events-of-issuance.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';

let store: EventStore;
const issuer = issuerNumber(950);
/** Another one at each call: a retry of a test finds the collections of the first run. */
let addresses = 950;
const newAddress = () => issuerNumber(++addresses);
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const hour = 3_600_000;
const deliver = (body: object) =>
  appendDeliveries(
    store.store.db,
    issuer,
    [parseDelivery(JSON.stringify(body), { deliveryTypes: {} })],
    applyDeliveries(hour),
  );

/**
 * Runs the worker on a creation, a new one by default, and returns its row. `answer` makes the response.
 * The subgraph shows the collection `deployed`, none by default, and is synced to `indexedUntil`.
 */
async function runWorker(
  answer: (salt: string, name: string) => Promise<never>,
  stored: Partial<CollectionCreationRow> = {},
  {
    indexedUntil,
    reconcileAfter = hour,
    deployed,
  }: { indexedUntil?: Date; reconcileAfter?: number; deployed?: Address } = {},
): Promise<CollectionCreationRow> {
  const { db } = store.store;
  const id = randomUUID();
  const salt = `0x${randomBytes(32).toString('hex')}`;
  await db
    .insertInto('collection_creation')
    .values({
      id,
      issuer,
      request_id: id,
      fingerprint: id,
      name: `Works ${id}`,
      symbol: 'W',
      salt,
      status: 'PENDING',
      sealed_key: null,
      next_at: new Date(0),
      ...(stored as object),
    })
    .execute();
  const deps = {
    db,
    signals: store.store.signals,
    log: silent,
    alone: false,
    keys: { open: () => ({ issuer, apiKey: 'of-no-matter' }) },
    commerce: { createCollection: () => answer(salt, `Works ${id}`) },
    deployedCollection: async () => ({ address: deployed, indexedUntil }),
    timeouts: { reconcileAfter, failureWatch: hour, drain: 0, request: hour },
  } as unknown as CollectionDeps;
  const worker = collectionWorker(deps);
  await worker.start();
  await worker.stop(hour);
  return db.selectFrom('collection_creation').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

it('a refusal does not fail a creation that a delivery has proved to be accepted', async () => {
  const row = await runWorker(async (salt) => {
    await deliver({ type: 'collection_created', data: { salt } });
    throw readRefusal({ kind: 'texts', texts: ['the salt is used'] }, 400, []);
  });
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', salt_free: false, next_at: expect.any(Date) });
});

it('a delivery of an unknown type does not shorten the pause before a retry', async () => {
  const row = await runWorker(async (salt) => {
    await deliver({ type: 'something_new', data: { salt } });
    throw new UpstreamError(
      { code: 'UPSTREAM_UNAVAILABLE', message: 'The service was not reached.' },
      { upstream: 'COMMERCE', maybeProcessed: false },
    );
  });
  expect(row).toMatchObject({ status: 'PENDING', sent: 0, first_sent_at: null, unanswered_at: null });
  expect((row.next_at as Date).getTime()).toBeGreaterThan(Date.now());
});

it('a creation is no longer due once its watch is over, even after a late hint', async () => {
  const hint = new Date(Date.now() - hour);
  const row = await runWorker(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'FAILED',
    ask_index_at: hint,
    watch_until: hint,
  });
  expect(row).toMatchObject({ status: 'FAILED', next_at: null });
});

it('a failed creation waits for mining again once a delivery reports its success', async () => {
  const { id, salt } = await runWorker(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'FAILED',
    sent: 1,
    error: JSON.stringify({ code: 'MINING_FAILED', message: 'out of gas' }) as never,
    outcome_source: 'WEBHOOK',
    completed_at: new Date(),
  });
  await deliver({ type: 'collection_created', data: { salt } });
  const row = await store.store.db
    .selectFrom('collection_creation')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({
    status: 'WAITING_FOR_MINING',
    error: null,
    outcome_source: null,
    completed_at: null,
  });
});

it('a failure by name and symbol before the answer counts if the subgraph shows nothing', async () => {
  const address = newAddress();
  const row = await runWorker(
    async (_salt, name) => {
      await deliver({ type: 'collection_create_failed', data: { name, symbol: 'W', message: 'out of gas' } });
      return {
        name,
        symbol: 'W',
        collectionAddress: address,
        status: 'waiting_for_mining',
      } as never;
    },
    {},
    { indexedUntil: new Date(Date.now() + hour), reconcileAfter: 0 },
  );
  expect(row).toMatchObject({
    status: 'FAILED',
    address,
    error: { code: 'MINING_FAILED' },
  });
});

it('a 500 does not fail a creation at once, even long after another request was lost', async () => {
  let failures = 0;
  const refuse = async () => {
    const text = `SERVICE_ERROR: step ${++failures} failed`;
    throw readRefusal({ kind: 'texts', texts: [text] }, 500, []);
  };
  const lost = {
    sent: 1,
    first_sent_at: new Date(Date.now() - 9 * hour),
    unanswered_at: new Date(Date.now() - 9 * hour),
  };
  const fault = { code: 'UPSTREAM_UNAVAILABLE', message: 'The service was not reached.' };
  const stored = { ...lost, last_fault: JSON.stringify(fault) as never };
  const row = await runWorker(refuse, stored, { indexedUntil: new Date() });
  // The gateway still looks for the collection of the first request.
  expect(row).toMatchObject({ status: 'PENDING', first_sent_at: lost.first_sent_at });
  expect((row.unanswered_at as Date).getTime()).toBeGreaterThan(Date.now() - hour);
  // A failure that the service keeps repeating is believed in the end.
  const again = await runWorker(
    refuse,
    { ...lost, last_fault: JSON.stringify(row.last_fault) as never },
    { indexedUntil: new Date() },
  );
  expect(again.status).toBe('FAILED');
});

it('a creation fails even if its failure has the same bytes as an earlier one', async () => {
  const name = `Works ${randomUUID()}`;
  const failure = { type: 'collection_create_failed', data: { name, symbol: 'W', message: 'out of gas' } };
  for (const collectionAddress of [newAddress(), newAddress()]) {
    const row = await runWorker(
      async () => {
        await deliver(failure);
        return { name, symbol: 'W', collectionAddress, status: 'waiting_for_mining' } as never;
      },
      { name },
      { indexedUntil: new Date(Date.now() + hour), reconcileAfter: 0 },
    );
    expect([collectionAddress, row.status]).toEqual([collectionAddress, 'FAILED']);
  }
});

/** What the service answers to a creation whose transaction failed at once. */
const failedAt = (collectionAddress: string) =>
  ({ name: 'Works', symbol: 'W', collectionAddress, status: 'failed' }) as never;

it('a creation that a delivery reports by address is issued even if the answer calls it failed', async () => {
  const address = newAddress();
  const row = await runWorker(async () => {
    await deliver({ type: 'collection_created', data: { collectionAddress: address } });
    return failedAt(address);
  });
  expect(row).toMatchObject({ status: 'ISSUED', address, outcome_source: 'WEBHOOK', error: null });
  const events = await collectionEvents(store.store.db, issuer, address, new Date(0));
  expect(events.map(({ type }) => type)).toEqual(['COLLECTION_CREATED']);
});

it('a creation fails if the answer says so, with the address of an earlier creation', async () => {
  const address = newAddress();
  await runWorker(() => Promise.reject(new Error('nothing is to be sent')), { status: 'ISSUED', address });
  const row = await runWorker(async () => failedAt(address));
  expect(row).toMatchObject({ status: 'FAILED', address: null });
});

it('a collection stays issued when an earlier failure is reported again', async () => {
  const address = newAddress();
  const { id } = await runWorker(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'ISSUED',
    sent: 1,
    last_sent_at: new Date(Date.now() - hour),
    address,
  });
  const failure = { type: 'collection_create_failed', data: { collectionAddress: address, message: 'gas' } };
  for (let times = 0; times < 2; times++) await deliver(failure);
  const row = store.store.db
    .selectFrom('collection_creation')
    .select(['status', 'held'])
    .where('id', '=', id);
  expect(await row.executeTakeFirst()).toEqual({ status: 'ISSUED', held: null });
});

it('a creation is issued when both success and failure are reported before the answer', async () => {
  const address = newAddress();
  const row = await runWorker(async (_salt, name) => {
    const data = { name, symbol: 'W', collectionAddress: address };
    await deliver({ type: 'collection_created', data });
    await deliver({ type: 'collection_create_failed', data: { ...data, message: 'nonce out of sync' } });
    return { ...data, status: 'waiting_for_mining' } as never;
  });
  expect(row).toMatchObject({ status: 'ISSUED', address });
});

it('a delivery with only name and symbol makes the gateway ask the subgraph', async () => {
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address: newAddress() } as const;
  const { id, name, symbol } = await runWorker(
    () => Promise.reject(new Error('nothing is to be sent')),
    stored,
  );
  await deliver({ type: 'collection_created', data: { name, symbol } });
  const row = store.store.db.selectFrom('collection_creation').selectAll().where('id', '=', id);
  expect(await row.executeTakeFirst()).toMatchObject({
    status: 'WAITING_FOR_MINING',
    ask_index_at: expect.any(Date),
  });
});

it('a delivery without an address about an unknown creation is UNRECOGNIZED', async () => {
  await deliver({ type: 'collection_created', data: { name: 'Works of others', symbol: 'W' } });
  const last = store.store.db.selectFrom('event').select(['type', 'kind']).where('issuer', '=', issuer);
  expect(await last.orderBy('cursor', 'desc').executeTakeFirst()).toEqual({
    type: 'UNRECOGNIZED',
    kind: 'collection_created',
  });
});

it('a creation is looked up in the subgraph at once after a hint by a delivery', async () => {
  const address = newAddress();
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address, ask_index_at: new Date() } as const;
  const row = await runWorker(() => Promise.reject(new Error('nothing is to be sent')), stored, {
    deployed: address,
  });
  expect(row).toMatchObject({ status: 'ISSUED', outcome_source: 'SUBGRAPH' });
});

it('a delivery with the salt but another address does not settle a creation', async () => {
  const address = newAddress();
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address } as const;
  const { id, salt } = await runWorker(() => Promise.reject(new Error('nothing is to be sent')), stored);
  await deliver({ type: 'collection_created', data: { salt, collectionAddress: newAddress() } });
  const row = store.store.db.selectFrom('collection_creation').select(['status', 'address']);
  expect(await row.where('id', '=', id).executeTakeFirst()).toEqual({
    status: 'WAITING_FOR_MINING',
    address,
  });
});

it('a failure before the answer does not settle a creation whose salt was sent twice', async () => {
  const address = newAddress();
  const lost = new Date(Date.now() - hour / 2);
  const row = await runWorker(
    async (salt) => {
      await deliver({
        type: 'collection_create_failed',
        data: { salt, collectionAddress: address, message: 'gas' },
      });
      return { collectionAddress: address, status: 'waiting_for_mining' } as never;
    },
    { sent: 1, first_sent_at: lost, last_sent_at: lost, unanswered_at: lost },
  );
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', held: { status: 'FAILED' } });
});

it('a delivery before the answer with another address does not settle a creation', async () => {
  const address = newAddress();
  const row = await runWorker(async (_salt, name) => {
    await deliver({
      type: 'collection_created',
      data: { name, symbol: 'W', collectionAddress: newAddress() },
    });
    return { collectionAddress: address, status: 'waiting_for_mining' } as never;
  });
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', address });
});

const refuseUsedSalt = () =>
  Promise.reject(readRefusal({ kind: 'texts', texts: ['the salt is used'] }, 400, []));

it('a refusal does not fail a creation until the subgraph covers the lost request', async () => {
  const lost = new Date(Date.now() - hour / 2);
  const stored = { sent: 1, first_sent_at: lost, last_sent_at: lost, unanswered_at: lost };
  const row = await runWorker(refuseUsedSalt, stored, { indexedUntil: new Date() });
  expect(row).toMatchObject({ status: 'PENDING', unanswered_at: lost });
});

it('a 500 as the first answer does not fail a creation, which may have succeeded', async () => {
  const row = await runWorker(() =>
    Promise.reject(readRefusal({ kind: 'texts', texts: ['SERVICE_ERROR: a step failed'] }, 500, [])),
  );
  expect(row).toMatchObject({ status: 'PENDING', salt_free: false, unanswered_at: expect.any(Date) });
});

it('a refused creation stays failed until the subgraph shows it, whatever a delivery says', async () => {
  const { id, salt, status } = await runWorker(refuseUsedSalt);
  expect(status).toBe('FAILED');
  await deliver({ type: 'collection_created', data: { salt, collectionAddress: newAddress() } });
  const row = store.store.db.selectFrom('collection_creation').selectAll().where('id', '=', id);
  expect(await row.executeTakeFirst()).toMatchObject({ status: 'FAILED', ask_index_at: expect.any(Date) });
});
