import { randomBytes, randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRefusal } from '../src/clients/commerce/refusal.ts';
import { appendDeliveries } from '../src/events/append-deliveries.ts';
import { parseDelivery } from '../src/events/parse-delivery.ts';
import { applyDeliveries } from '../src/issuance/apply-deliveries.ts';
import type { CollectionCreationRow, CollectionDeps } from '../src/issuance/collections/creation.ts';
import { collectionWorker } from '../src/issuance/collections/worker.ts';
import { UpstreamError } from '../src/model/errors.ts';
import { collectionEvents } from '../src/store/events-of-issuance.ts';
import { type EventStore, eventStore, issuerNumber } from './_util/event-store.ts';

let store: EventStore;
const issuer = issuerNumber(950);
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const hour = 3_600_000;
const tell = (body: object) =>
  appendDeliveries(
    store.store.db,
    issuer,
    [parseDelivery(JSON.stringify(body), { deliveryTypes: {} })],
    applyDeliveries(hour),
  );

/**
 * Carries a creation as far as it goes, a fresh one by default; `answer` is what the service does with the request.
 * The subgraph shows the collection `deployed`, none by default, and is synced to `indexedUntil`.
 */
async function carried(
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

it('is not refused after a delivery has proved that it was accepted', async () => {
  const row = await carried(async (salt) => {
    await tell({ type: 'collection_created', data: { salt } });
    throw readRefusal({ kind: 'texts', texts: ['the salt is used'] }, 400, []);
  });
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', salt_free: false, next_at: expect.any(Date) });
});

it('is not sent again without a pause when a hint came while the service was not reached', async () => {
  const row = await carried(async (salt) => {
    await tell({ type: 'something_new', data: { salt } });
    throw new UpstreamError(
      { code: 'UPSTREAM_UNAVAILABLE', message: 'The service was not reached.' },
      { upstream: 'COMMERCE', maybeProcessed: false },
    );
  });
  expect(row).toMatchObject({ status: 'PENDING', sent: 0, first_sent_at: null, unanswered_at: null });
  expect((row.next_at as Date).getTime()).toBeGreaterThan(Date.now());
});

it('rests once its watch is over, also when a hint came after the last look', async () => {
  const hint = new Date(Date.now() - hour);
  const row = await carried(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'FAILED',
    ask_index_at: hint,
    watch_until: hint,
  });
  expect(row).toMatchObject({ status: 'FAILED', next_at: null });
});

it('has no error and no end any more once a delivery says that it was created after all', async () => {
  const { id, salt } = await carried(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'FAILED',
    sent: 1,
    error: JSON.stringify({ code: 'MINING_FAILED', message: 'out of gas' }) as never,
    outcome_source: 'WEBHOOK',
    completed_at: new Date(),
  });
  await tell({ type: 'collection_created', data: { salt } });
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

it('fails when only its name and symbol told so, before the answer, and the subgraph does not show it', async () => {
  const row = await carried(
    async (_salt, name) => {
      await tell({ type: 'collection_create_failed', data: { name, symbol: 'W', message: 'out of gas' } });
      return {
        name,
        symbol: 'W',
        collectionAddress: issuerNumber(951),
        status: 'waiting_for_mining',
      } as never;
    },
    {},
    { indexedUntil: new Date(Date.now() + hour), reconcileAfter: 0 },
  );
  expect(row).toMatchObject({
    status: 'FAILED',
    address: issuerNumber(951),
    error: { code: 'MINING_FAILED' },
  });
});

it('is not refused at once by a 500 that may come after its creation, long after another request was lost', async () => {
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
  const row = await carried(refuse, stored, { indexedUntil: new Date() });
  // What the first request made is looked for.
  expect(row).toMatchObject({ status: 'PENDING', first_sent_at: lost.first_sent_at });
  expect((row.unanswered_at as Date).getTime()).toBeGreaterThan(Date.now() - hour);
  // A service that always fails in this way is believed in the end.
  const again = await carried(
    refuse,
    { ...lost, last_fault: JSON.stringify(row.last_fault) as never },
    { indexedUntil: new Date() },
  );
  expect(again.status).toBe('FAILED');
});

it('fails in the end when its failure has the same bytes as that of an earlier one', async () => {
  const name = `Works ${randomUUID()}`;
  const failure = { type: 'collection_create_failed', data: { name, symbol: 'W', message: 'out of gas' } };
  for (const collectionAddress of [issuerNumber(952), issuerNumber(953)]) {
    const row = await carried(
      async () => {
        await tell(failure);
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

it('is issued when its address told so before the answer called it failed', async () => {
  const address = issuerNumber(954);
  const row = await carried(async () => {
    await tell({ type: 'collection_created', data: { collectionAddress: address } });
    return failedAt(address);
  });
  expect(row).toMatchObject({ status: 'ISSUED', address, outcome_source: 'WEBHOOK', error: null });
  const told = await collectionEvents(store.store.db, issuer, address, new Date(0));
  expect(told.map(({ type }) => type)).toEqual(['COLLECTION_CREATED']);
});

it('fails when the answer calls it failed at the address of an earlier creation', async () => {
  const address = issuerNumber(955);
  await carried(() => Promise.reject(new Error('nothing is to be sent')), { status: 'ISSUED', address });
  const row = await carried(async () => failedAt(address));
  expect(row).toMatchObject({ status: 'FAILED', address: null });
});

it('stays issued when an earlier failure of it is reported once more', async () => {
  const address = issuerNumber(956);
  const { id } = await carried(() => Promise.reject(new Error('nothing is to be sent')), {
    status: 'ISSUED',
    sent: 1,
    last_sent_at: new Date(Date.now() - hour),
    address,
  });
  const failure = { type: 'collection_create_failed', data: { collectionAddress: address, message: 'gas' } };
  for (let times = 0; times < 2; times++) await tell(failure);
  const row = store.store.db
    .selectFrom('collection_creation')
    .select(['status', 'held'])
    .where('id', '=', id);
  expect(await row.executeTakeFirst()).toEqual({ status: 'ISSUED', held: null });
});

it('is issued when both its creation and a failure are reported before the answer: another request may have failed', async () => {
  const address = issuerNumber(957);
  const row = await carried(async (_salt, name) => {
    const data = { name, symbol: 'W', collectionAddress: address };
    await tell({ type: 'collection_created', data });
    await tell({ type: 'collection_create_failed', data: { ...data, message: 'nonce out of sync' } });
    return { ...data, status: 'waiting_for_mining' } as never;
  });
  expect(row).toMatchObject({ status: 'ISSUED', address });
});

it('is not settled by a delivery that names only its name and symbol, but by the subgraph', async () => {
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address: issuerNumber(958) } as const;
  const { id, name, symbol } = await carried(
    () => Promise.reject(new Error('nothing is to be sent')),
    stored,
  );
  await tell({ type: 'collection_created', data: { name, symbol } });
  const row = store.store.db.selectFrom('collection_creation').selectAll().where('id', '=', id);
  expect(await row.executeTakeFirst()).toMatchObject({
    status: 'WAITING_FOR_MINING',
    ask_index_at: expect.any(Date),
  });
});

it('is nothing to show when a delivery about no known creation names no address', async () => {
  await tell({ type: 'collection_created', data: { name: 'Works of others', symbol: 'W' } });
  const last = store.store.db.selectFrom('event').select(['type', 'kind']).where('issuer', '=', issuer);
  expect(await last.orderBy('cursor', 'desc').executeTakeFirst()).toEqual({
    type: 'UNRECOGNIZED',
    kind: 'collection_created',
  });
});

it('is looked for at once when a delivery hints at it', async () => {
  const address = issuerNumber(959);
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address, ask_index_at: new Date() } as const;
  const row = await carried(() => Promise.reject(new Error('nothing is to be sent')), stored, {
    deployed: address,
  });
  expect(row).toMatchObject({ status: 'ISSUED', outcome_source: 'SUBGRAPH' });
});

it('is not that of a delivery with its salt and another address', async () => {
  const address = issuerNumber(960);
  const stored = { status: 'WAITING_FOR_MINING', sent: 1, address } as const;
  const { id, salt } = await carried(() => Promise.reject(new Error('nothing is to be sent')), stored);
  await tell({ type: 'collection_created', data: { salt, collectionAddress: issuerNumber(961) } });
  const row = store.store.db.selectFrom('collection_creation').select(['status', 'address']);
  expect(await row.where('id', '=', id).executeTakeFirst()).toEqual({
    status: 'WAITING_FOR_MINING',
    address,
  });
});

it('does not fail by a failure before the answer when its salt was sent twice: the other request may have failed', async () => {
  const address = issuerNumber(962);
  const lost = new Date(Date.now() - hour / 2);
  const row = await carried(
    async (salt) => {
      await tell({
        type: 'collection_create_failed',
        data: { salt, collectionAddress: address, message: 'gas' },
      });
      return { collectionAddress: address, status: 'waiting_for_mining' } as never;
    },
    { sent: 1, first_sent_at: lost, last_sent_at: lost, unanswered_at: lost },
  );
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', held: { status: 'FAILED' } });
});

it('is not that of a delivery before the answer with its name and another address', async () => {
  const row = await carried(async (_salt, name) => {
    await tell({
      type: 'collection_created',
      data: { name, symbol: 'W', collectionAddress: issuerNumber(963) },
    });
    return { collectionAddress: issuerNumber(964), status: 'waiting_for_mining' } as never;
  });
  expect(row).toMatchObject({ status: 'WAITING_FOR_MINING', address: issuerNumber(964) });
});

const salted = () => Promise.reject(readRefusal({ kind: 'texts', texts: ['the salt is used'] }, 400, []));

it('is not refused while the subgraph has not seen enough of the chain since a request was lost', async () => {
  const lost = new Date(Date.now() - hour / 2);
  const stored = { sent: 1, first_sent_at: lost, last_sent_at: lost, unanswered_at: lost };
  const row = await carried(salted, stored, { indexedUntil: new Date() });
  expect(row).toMatchObject({ status: 'PENDING', unanswered_at: lost });
});

it('is not refused by a first answer of 500, which may come after its creation', async () => {
  const row = await carried(() =>
    Promise.reject(readRefusal({ kind: 'texts', texts: ['SERVICE_ERROR: a step failed'] }, 500, [])),
  );
  expect(row).toMatchObject({ status: 'PENDING', salt_free: false, unanswered_at: expect.any(Date) });
});

it('stays refused until the subgraph shows it, whatever a delivery with its salt says', async () => {
  const { id, salt, status } = await carried(salted);
  expect(status).toBe('FAILED');
  await tell({ type: 'collection_created', data: { salt, collectionAddress: issuerNumber(965) } });
  const row = store.store.db.selectFrom('collection_creation').selectAll().where('id', '=', id);
  expect(await row.executeTakeFirst()).toMatchObject({ status: 'FAILED', ask_index_at: expect.any(Date) });
});
