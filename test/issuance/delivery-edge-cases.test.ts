import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { appendDeliveries } from '../../src/events/append-deliveries.ts';
import { parseDelivery } from '../../src/events/parse-delivery.ts';
import { replayEvents } from '../../src/events/replay.ts';
import { applyDeliveries } from '../../src/issuance/apply-deliveries.ts';
import { type EventStore, eventStore, issuerNumber } from '../_util/event-store.ts';
import { ModelledIssuance } from '../_util/outcome-model/modelled-issuance.ts';
import { type Fate, ModelService, tokenOf } from '../_util/outcome-model/service.ts';

let store: EventStore;
let nextIssuer = 900;
beforeAll(async () => {
  store = await eventStore();
});
afterAll(() => store?.stop());

const apply = applyDeliveries(3_600_000);
const deliver = (issuer: ReturnType<typeof issuerNumber>, body: object) =>
  appendDeliveries(
    store.store.db,
    issuer,
    [parseDelivery(JSON.stringify(body), { deliveryTypes: {} })],
    apply,
  );
const replay = (issuer: ReturnType<typeof issuerNumber>) =>
  replayEvents({ db: store.store.db, issuer, after: '0', reading: { deliveryTypes: {} }, apply });

async function world(
  { issuer = issuerNumber(nextIssuer++), externalId = randomUUID() as string } = {},
  fates: Fate[] = [],
) {
  const entry = { externalId, tokenId: tokenOf(externalId), mintable: true, minted: false };
  const service = new ModelService([entry], 'DUPLICATE_EXTERNAL_ID');
  service.fates = fates;
  const one = new ModelledIssuance(store.store.db, issuer, service);
  await one.begin();
  return { one, service, issuer, externalId };
}

const statusOf = async (one: ModelledIssuance) => (await one.entries())[0]?.status;

it('a delivery whose type is cut in the middle of a character is stored', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const type = `${'x'.repeat(199)}\u{1f600}`;
  expect(await deliver(issuer, { type, data: {} })).toEqual([{ stored: 1, repeated: 0 }]);
});

it('an outcome that is reported several times in one transaction is events once', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const outcome = (tokenId: string, more: object) => ({ type: 'issue_complete', data: { tokenId, ...more } });
  const contract = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  await deliver(issuer, outcome('0', {}));
  const reports = [
    outcome('0', { again: true }),
    outcome('2', { externalId: 'a' }),
    outcome('1', { externalId: 'a' }),
    outcome('1', { externalId: 'a', again: true }),
    outcome('1', { srr: { collectionContractAddress: contract } }),
    outcome('1', { externalId: 'b' }),
    outcome('3', {}),
    outcome('3', { externalId: 'c' }),
    outcome('4', {}),
    outcome('4', { srr: { collectionContractAddress: contract } }),
  ];
  const groups = reports.map((body) => parseDelivery(JSON.stringify(body), { deliveryTypes: {} }));
  await appendDeliveries(store.store.db, issuer, groups, apply);
  const events = await store
    .log()
    .read(issuer, '0', 10, { types: ['SRR_ISSUED', 'SRR_FAILED', 'UNRECOGNIZED'] });
  expect(events.map(({ token_id, external_id }) => [token_id, external_id])).toEqual([
    ['0', null],
    ['2', 'a'],
    ['1', 'a'],
    ['1', 'b'],
    ['3', null],
    ['4', null],
  ]);
});

it('a failure after the success of a record is not reported, even in the same transaction', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const report = (type: string, tokenId: string, attempt = 1) => ({ type, data: [{ tokenId, attempt }] });
  await deliver(issuer, report('issue_failed', '3'));
  await deliver(issuer, report('issue_complete', '3'));
  await deliver(issuer, report('issue_failed', '3', 2));
  await deliver(issuer, [report('issue_complete', '4'), report('issue_failed', '4')]);
  const events = await store.store.db
    .selectFrom('event')
    .select(['type', 'token_id'])
    .where('issuer', '=', issuer)
    .where('visible', '=', true)
    .orderBy('cursor')
    .execute();
  expect(events).toEqual([
    { type: 'SRR_FAILED', token_id: '3' },
    { type: 'SRR_ISSUED', token_id: '3' },
    { type: 'SRR_ISSUED', token_id: '4' },
  ]);
});

it('an outcome with and without its externalId in one transaction is reported once', async () => {
  for (const order of ['reference first', 'token first']) {
    const { one, service, externalId } = await world({}, ['lost after']);
    await one.work();
    service.mint(0);
    const srrId = tokenOf(externalId);
    const bodies = [{ externalId, srrId }, { srrId }].map((entry) => ({
      type: 'issue_complete',
      data: [entry],
    }));
    for (const body of order === 'token first' ? bodies.toReversed() : bodies) one.arrive(body);
    await one.storeDeliveries();
    expect([order, await statusOf(one)]).toEqual([order, 'ISSUED']);
    expect(await one.visibleOutcomes()).toEqual([{ externalId, type: 'SRR_ISSUED' }]);
  }
});

it('a replay does not apply a failure that was found to be of an earlier request', async () => {
  const { one, issuer, externalId, service } = await world();
  service.fates = ['lost before', 'not reached'];
  await one.work();
  await deliver(issuer, { type: 'issue_failed', externalId, message: 'lost' });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await one.work();
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
  await replay(issuer);
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
});

it('the outcome of an earlier record does not settle a new request with its externalId', async () => {
  const { one: first, issuer, externalId, service } = await world();
  await first.work();
  service.mint(0);
  service.catchUp();
  await first.hourPasses();
  await first.work();
  expect(await statusOf(first)).toBe('ISSUED');
  const { one: second, service: again } = await world({ issuer, externalId }, ['lost before']);
  again.fates = ['lost before', ...Array<Fate>(30).fill('not reached')];
  await second.work();
  const askedBefore = (await second.row()).ask_index_at;
  await deliver(issuer, { type: 'issue_complete', externalId });
  expect([askedBefore, (await second.row()).ask_index_at]).toEqual([null, expect.any(Date)]);
  const rows = store.store.db.selectFrom('issuance_history').select('reason').orderBy('id');
  const history = () => rows.where('issuance_id', '=', first.id).execute();
  const before = await history();
  expect(before.at(-1)?.reason).toBe(`a delivery reports again that "${externalId}" was issued`);
  await replay(issuer);
  expect(await history()).toEqual(before);
  again.fates = [];
  again.accepted = true;
  await second.work();
  again.indexIsCurrent = true;
  await second.hourPasses();
  await second.work();
  expect([(await second.row()).status, await statusOf(second)]).toEqual(['REJECTED', 'FAILED']);
});

it('an outcome that a delivery reports by token id alone is reported once', async () => {
  const { one, issuer, externalId, service } = await world({}, ['lost after']);
  await one.work();
  service.mint(0);
  await deliver(issuer, { type: 'issue_complete', srrId: tokenOf(externalId) });
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect(await statusOf(one)).toBe('ISSUED');
  const events = await store
    .log()
    .read(issuer, '0', 10, { types: ['SRR_ISSUED', 'SRR_FAILED', 'UNRECOGNIZED'] });
  expect(events.map(({ type, external_id, source }) => [type, external_id, source])).toEqual([
    ['SRR_ISSUED', externalId, expect.any(String)],
  ]);
});

it('an outcome that is delivered by token id and then by externalId is reported once', async () => {
  const { one, issuer, externalId, service } = await world({}, ['lost after']);
  await one.work();
  service.mint(0);
  const srrId = tokenOf(externalId);
  // The gateway does not know yet which entry has this token id.
  await deliver(issuer, { type: 'issue_complete', srrId });
  expect(await statusOf(one)).toBe('PENDING');
  await deliver(issuer, { type: 'issue_complete', srrId, externalId });
  expect(await statusOf(one)).toBe('ISSUED');
  expect(await one.visibleOutcomes()).toEqual([{ externalId, type: 'SRR_ISSUED' }]);
});

it('the collection in a delivery is kept when the answer to a repeated request has none', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const entries = [randomUUID(), randomUUID()].map((externalId) => ({
    externalId,
    tokenId: tokenOf(externalId),
    mintable: true,
    minted: false,
  }));
  const service = new ModelService(entries, 'DUPLICATE_EXTERNAL_ID');
  service.fates = ['lost before'];
  const one = new ModelledIssuance(store.store.db, issuer, service);
  const collection = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' as Address;
  await one.begin(collection);
  await one.work();
  const [first] = entries.map(({ externalId, tokenId }) => ({ externalId, tokenId }));
  await deliver(issuer, {
    type: 'issue_complete',
    data: [{ ...first, collectionContractAddress: collection }],
  });
  await one.work();
  const rows = await store.store.db
    .selectFrom('issuance_entry')
    .select(['status', 'collection_address', 'metadata_cid'])
    .where('issuance_id', '=', one.id)
    .orderBy('index')
    .execute();
  expect(rows).toEqual([
    { status: 'ISSUED', collection_address: collection, metadata_cid: `cid-${first?.tokenId}` },
    { status: 'WAITING_FOR_MINING', collection_address: null, metadata_cid: expect.any(String) },
  ]);
});

it('the registry in a delivery is not taken for the collection of a record', async () => {
  const { one, issuer, externalId } = await world({}, ['lost after']);
  await one.work();
  const collectionContractAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const issued = { externalId, tokenId: tokenOf(externalId), collectionContractAddress };
  await deliver(issuer, { type: 'issue_complete', data: [issued] });
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED'] });
  expect(events.map((event) => [event.external_id, event.collection_address])).toEqual([[externalId, null]]);
  const rows = store.store.db.selectFrom('issuance_entry').where('issuance_id', '=', one.id);
  expect(await rows.select(['status', 'collection_address']).execute()).toEqual([
    { status: 'ISSUED', collection_address: null },
  ]);
});

it('the collection in a delivery is kept once the input of its entry is deleted', async () => {
  const { one, issuer, externalId } = await world({}, ['lost after']);
  await one.work();
  await store.store.db
    .updateTable('issuance_entry')
    .set({ payload: '{}' })
    .where('issuance_id', '=', one.id)
    .execute();
  const issued = { externalId, tokenId: tokenOf(externalId), collectionContractAddress: elsewhere };
  await deliver(issuer, { type: 'issue_complete', data: [issued] });
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED'] });
  expect(events.map((event) => event.collection_address)).toEqual([elsewhere]);
});

it('a report of an issued record with another token id is unrecognized', async () => {
  const { one, issuer, externalId } = await world();
  await one.work();
  for (const tokenId of [tokenOf(externalId), '4711'])
    await deliver(issuer, { type: 'issue_complete', data: [{ externalId, tokenId }] });
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED', 'UNRECOGNIZED'] });
  expect(events.map(({ type, token_id }) => [type, token_id])).toEqual([
    ['SRR_ISSUED', tokenOf(externalId)],
    ['UNRECOGNIZED', '4711'],
  ]);
});

it('a failed record that another program issues again stays failed', async () => {
  const { one, issuer, externalId } = await world();
  await one.work();
  await deliver(issuer, failed(externalId));
  for (const again of [
    { externalId: 'of another program', tokenId: tokenOf(externalId) },
    { externalId, tokenId: '4711' },
  ])
    await deliver(issuer, { type: 'issue_complete', data: [again] });
  expect(await statusOf(one)).toBe('FAILED');
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED', 'UNRECOGNIZED'] });
  expect(events.map(({ type, token_id }) => [type, token_id])).toEqual([
    ['SRR_ISSUED', tokenOf(externalId)],
    ['SRR_ISSUED', '4711'],
  ]);
});

const elsewhere = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const failed = (externalId: string) => ({ type: 'issue_failed', data: [{ externalId, message: 'gas' }] });
const moment = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A record whose first issuance failed, and which is issued again under its externalId. */
async function issuedAgain(fates: Fate[] = []) {
  const { one: first, issuer, externalId } = await world();
  await first.work();
  await deliver(issuer, failed(externalId));
  expect(await statusOf(first)).toBe('FAILED');
  await first.end();
  await moment();
  const all = await world({ issuer, externalId });
  all.service.fates = fates;
  await all.one.work();
  return all;
}

/** The failures that are linked to an issuance, with their visibility. */
const failuresOf = async ({ id }: ModelledIssuance) =>
  (
    await store.store.db
      .selectFrom('event')
      .select('visible')
      .where('issuance_id', '=', id)
      .where('type', '=', 'SRR_FAILED')
      .execute()
  ).map(({ visible }) => visible);

it('a failure that comes before the answer is held back, even if the record failed before', async () => {
  const { one, issuer, externalId } = await issuedAgain(['lost before', 'not reached']);
  await deliver(issuer, { type: 'issue_failed', data: [{ externalId, message: 'nonce too low' }] });
  expect([await statusOf(one), await failuresOf(one)]).toEqual(['PENDING', [false]]);
});

it('a failure with the bytes of an earlier one counts for each request after which it comes', async () => {
  const { one, issuer, externalId } = await issuedAgain(['lost before', 'not reached']);
  await deliver(issuer, failed(externalId));
  expect(await failuresOf(one)).toEqual([false]);
  await moment();
  await one.work();
  await deliver(issuer, failed(externalId));
  expect([await statusOf(one), await failuresOf(one)]).toEqual(['WAITING_FOR_MINING', [false, false]]);
  await one.hourPasses();
  await one.work();
  expect(await statusOf(one)).toBe('FAILED');
});

it('a second failure of a record with the same bytes is believed in the end', async () => {
  const { one, issuer, externalId } = await issuedAgain();
  for (let times = 0; times < 2; times++)
    expect(await deliver(issuer, failed(externalId))).toEqual([{ stored: 0, repeated: 1 }]);
  await replay(issuer);
  await one.work();
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
  await one.hourPasses();
  await one.work();
  expect([(await one.row()).status, await statusOf(one)]).toEqual(['COMPLETED', 'FAILED']);
  const event = { externalId, type: 'SRR_FAILED' };
  expect(await one.visibleOutcomes()).toEqual([event, event]);
});

it('a repeated delivery of an older failure does not fail a record that is minted', async () => {
  const { one, service, issuer, externalId } = await issuedAgain();
  await deliver(issuer, failed(externalId));
  service.mint(0);
  service.catchUp();
  await one.hourPasses();
  await one.work();
  expect([(await one.row()).status, await statusOf(one)]).toEqual(['COMPLETED', 'ISSUED']);
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_FAILED', 'SRR_ISSUED']);
});

it('a repeated request that fails with the same bytes as the lost one fails in the end', async () => {
  const { one, issuer, externalId, service } = await world();
  service.fates = ['lost before', 'not reached'];
  await one.work();
  await deliver(issuer, failed(externalId));
  await moment();
  await one.work();
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
  await deliver(issuer, failed(externalId));
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
  await one.hourPasses();
  await one.work();
  expect(await statusOf(one)).toBe('FAILED');
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

it('a repeated failure that was already reported is stored only once', async () => {
  const { one, issuer, externalId } = await world();
  await one.work();
  for (const stored of [1, 0])
    expect(await deliver(issuer, failed(externalId))).toEqual([{ stored, repeated: 1 - stored }]);
  await replay(issuer);
  expect((await one.visibleOutcomes()).map(({ type }) => type)).toEqual(['SRR_FAILED']);
});

it('an outcome of the same token id in another collection does not settle an entry', async () => {
  const { one, service, issuer, externalId } = await world();
  await one.work();
  service.mint(0);
  const tokenId = tokenOf(externalId);
  await deliver(issuer, { type: 'issue_complete', data: { tokenId, collectionContractAddress: elsewhere } });
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
  await deliver(issuer, { type: 'issue_complete', data: { externalId } });
  expect(await statusOf(one)).toBe('ISSUED');
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED'] });
  expect(events.map(({ external_id, collection_address }) => [external_id, collection_address])).toEqual([
    [null, elsewhere],
    [externalId, null],
  ]);
});

it.each([
  ['another collection', { collectionContractAddress: elsewhere }],
  ['another externalId', { externalId: 'of another program' }],
])('an outcome of the token id in %s that comes before the answer settles nothing', async (_what, more) => {
  const { one, issuer, externalId } = await world({}, ['lost before', 'not reached']);
  await one.work();
  await deliver(issuer, { type: 'issue_complete', data: { tokenId: tokenOf(externalId), ...more } });
  await one.work();
  expect(await one.entries()).toMatchObject([
    { status: 'WAITING_FOR_MINING', token_id: tokenOf(externalId) },
  ]);
});

it('an outcome of the token id from before the issuance settles nothing', async () => {
  const [issuer, externalId] = [issuerNumber(nextIssuer++), randomUUID()];
  await deliver(issuer, { type: 'issue_complete', data: { tokenId: tokenOf(externalId) } });
  await moment();
  const { one } = await world({ issuer, externalId });
  await one.work();
  expect(await statusOf(one)).toBe('WAITING_FOR_MINING');
});

it('outcomes of a token id in two collections are two events, and with and without its externalId one', async () => {
  const issuer = issuerNumber(nextIssuer++);
  const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
  for (const collectionContractAddress of [elsewhere, other])
    await deliver(issuer, { type: 'issue_complete', data: { tokenId: '5', collectionContractAddress } });
  for (const ids of [{ tokenId: '6', externalId: 'a' }, { tokenId: '6' }])
    await deliver(issuer, { type: 'issue_complete', data: ids });
  const events = await store.log().read(issuer, '0', 10, { types: ['SRR_ISSUED'] });
  expect(events.map(({ token_id, collection_address }) => [token_id, collection_address])).toEqual([
    ['5', elsewhere],
    ['5', other],
    ['6', null],
  ]);
});
