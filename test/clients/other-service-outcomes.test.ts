import { randomBytes, randomUUID } from 'node:crypto';
import type { WebhookReceiver } from '@srr-gateway/sandbox/testing/webhook-receiver';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type OtherService,
  registry,
  serviceFaults,
  srrIdOf,
  startOtherService,
} from '../_util/other-service.ts';
import { type EntryOver, OtherServiceClient } from '../_util/other-service-client.ts';

let service: OtherService;
let client: OtherServiceClient;
let receiver: WebhookReceiver;
let picture: string;
beforeAll(async () => {
  service = await startOtherService();
  client = new OtherServiceClient(service);
  picture = await client.picture();
});
beforeEach(async () => {
  receiver = await client.listen();
});
afterEach(async () => {
  service.plain();
  // Deliveries that are still on their way must not reach the receiver of the next test.
  await service.quiet();
  await receiver.stop();
});
afterAll(() => service?.stop());

/** Issues one record; returns its externalId and what the 201 says. */
async function issueOne(over: EntryOver = {}) {
  const externalId = randomUUID();
  const { body } = await client.issue([client.entry(externalId, picture, over)]);
  return { externalId, srr: body.results[0].srr };
}

/** The received bodies, once there are `count` of them. */
async function received(count: number): Promise<Record<string, unknown>[]> {
  await expect.poll(() => receiver.received.length).toBe(count);
  return receiver.received.map(({ body }) => body as unknown as Record<string, unknown>);
}

describe('a delivery', () => {
  it('carries the key of the webhook, is retried, and is kept with the status of each attempt', async () => {
    receiver.answers.push(500, 503);
    const { externalId, srr } = await issueOne();
    const bodies = await received(3);
    expect(bodies[2]).toEqual({ type: 'issue_complete', version: 1, data: [{ externalId, ...srr }] });
    expect(receiver.received[0]).toMatchObject({ apiKey: 'a-webhook-key', contentType: 'application/json' });
    const delivery = service.deliveries.all.at(-1);
    await expect.poll(() => delivery?.state).toBe('DELIVERED');
    expect(delivery?.attempts.map(({ status }) => status)).toEqual([500, 503, 200]);
  });

  it('is given up after five attempts', async () => {
    receiver.answers.push(400, 400, 400, 400, 400);
    await issueOne();
    await expect.poll(() => service.deliveries.all.at(-1)?.state).toBe('GIVEN_UP');
    expect(receiver.received).toHaveLength(5);
  });

  it.each([
    ['OLD', (id: string, srr: object) => ({ externalId: id, srrId: (srr as { tokenId: string }).tokenId })],
    ['SLIM', (id: string, srr: object) => ({ externalId: id, ...srr })],
    ['NESTED', (id: string, srr: object) => ({ externalId: id, srr })],
    ['EXTERNAL_ID', (id: string) => ({ externalId: id })],
    ['TOKEN_ID', (_: string, srr: object) => ({ tokenId: (srr as { tokenId: string }).tokenId })],
  ] as const)('names the record as %s', async (ids, expected) => {
    service.variants.deliveries.ids = ids;
    const { externalId, srr } = await issueOne();
    const [body] = await received(1);
    expect(body?.data).toMatchObject([expected(externalId, srr)]);
    if (ids === 'OLD') expect(body?.data).toMatchObject([{ metadata: { name: externalId } }]);
  });

  it.each([
    ['OBJECT', (entry: object) => ({ type: 'issue_complete', version: 1, data: entry })],
    ['NULL_TYPE', (entry: object) => ({ type: null, version: 1, data: [entry] })],
    ['UNTYPED', (entry: object) => ({ data: [entry] })],
    ['FLAT', (entry: object) => ({ type: 'issue_complete', version: 1, ...entry })],
  ] as const)('is put into the form %s', async (envelope, expected) => {
    Object.assign(service.variants.deliveries, { envelope, ids: 'EXTERNAL_ID' });
    const { externalId } = await issueOne();
    expect(await received(1)).toEqual([expected({ externalId })]);
  });

  it('can be lost, delayed, duplicated or held', async () => {
    service.variants.deliveries.way = 'LOSE';
    const lost = await issueOne();
    await expect.poll(() => service.chain.mintsOf(lost.externalId)).toBe(1);
    await expect.poll(() => service.deliveries.all.at(-1)).toMatchObject({ state: 'LOST', attempts: [] });
    Object.assign(service.variants.deliveries, { way: 'HOLD', copies: 2 });
    const held = await issueOne();
    await expect.poll(() => service.deliveries.held.length).toBe(2);
    expect(receiver.received).toHaveLength(0);
    await service.deliveries.release();
    const [first, second] = await received(2);
    expect(first).toEqual(second);
    expect(JSON.stringify(first)).toContain(held.externalId);
    Object.assign(service.variants.deliveries, { way: 'SEND', copies: 1, delayMs: 80 });
    const late = await issueOne();
    await received(3);
    await expect.poll(() => service.deliveries.all.at(-1)?.attempts.length).toBe(1);
    const mined = service.chain.records.find((one) => one.externalId === late.externalId)?.minedAt.getTime();
    expect((service.deliveries.all.at(-1)?.attempts[0]?.at ?? 0) - (mined ?? 0)).toBeGreaterThanOrEqual(78);
  });

  it('can gather several records, in reverse order', async () => {
    Object.assign(service.variants.deliveries, { gatherMs: 50, reversed: true, ids: 'EXTERNAL_ID' });
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    await client.issue(ids.map((id) => client.entry(id, picture)));
    const [body] = await received(1);
    expect(body?.data).toEqual(ids.toReversed().map((externalId) => ({ externalId })));
  });

  it('can report a failure by its type, by an undocumented type, or by its status', async () => {
    Object.assign(service.variants.deliveries, { ids: 'EXTERNAL_ID' });
    service.variants.mining.default = 'FAIL';
    const firstDelivery = async () => {
      const { externalId } = await issueOne();
      const { type, data } = (await received(1))[0] as { type: string; data: Record<string, unknown>[] };
      expect(data[0]).toMatchObject({ externalId, message: 'transaction underpriced' });
      receiver.received.length = 0;
      return { type, status: data[0]?.status };
    };
    expect(await firstDelivery()).toEqual({ type: 'issue_failed', status: undefined });
    service.variants.deliveries.kinds.failed = 'srr.mining.reverted';
    expect(await firstDelivery()).toEqual({ type: 'srr.mining.reverted', status: undefined });
    service.variants.deliveries.failedAs = 'STATUS';
    expect(await firstDelivery()).toEqual({ type: 'issue_complete', status: 'failed' });
  });

  it.each([
    ['FAILURE_FIRST', ['issue_failed', 'issue_complete']],
    ['LATE_FAILURE', ['issue_complete', 'issue_failed']],
  ] as const)('can contradict another delivery: %s', async (tells, kinds) => {
    Object.assign(service.variants.deliveries, { tells, way: 'HOLD' });
    const { externalId } = await issueOne();
    await expect.poll(() => service.deliveries.held.length).toBe(2);
    await service.deliveries.release();
    expect(receiver.received.map(({ body }) => body.type)).toEqual(kinds);
    expect(service.chain.mintsOf(externalId)).toBe(1);
  });

  it('can report the failure of a broken request that is accepted when it is repeated', async () => {
    service.variants.deliveries.tellsRefusals = 'UNACCEPTED';
    service.variants.next.srrs = [serviceFaults.lost('BEFORE')];
    const externalId = randomUUID();
    const entry = client.entry(externalId, picture);
    await expect(client.issue([entry])).rejects.toThrow();
    expect((await received(1))[0]).toMatchObject({ type: 'issue_failed', data: [{ externalId }] });
    expect((await client.issue([entry])).status).toBe(201);
    expect((await received(2))[1]).toMatchObject({ type: 'issue_complete' });
    expect((await client.issue([entry])).status).toBe(400);
    service.enqueueDelivery('failed', externalId, 'for no reason');
    expect((await received(3))[2]).toMatchObject({ type: 'issue_failed', data: [{ externalId }] });
  });
});

describe('mining', () => {
  it('can be held, fail, and succeed after a reported failure', async () => {
    const externalId = randomUUID();
    service.variants.mining.of[externalId] = 'HELD';
    const entry = client.entry(externalId, picture);
    await client.issue([entry]);
    const { number } = service.chain.head;
    await expect.poll(() => service.chain.head.number).toBeGreaterThan(number + 2);
    expect(service.chain.mintsOf(externalId)).toBe(0);
    service.chain.fail(externalId);
    expect((await received(1))[0]).toMatchObject({ type: 'issue_failed' });
    service.chain.mint(externalId);
    expect((await received(2))[1]).toMatchObject({ type: 'issue_complete' });
    expect(service.chain.records.at(-1)).toMatchObject({ externalId, contract: registry, collection: null });
  });

  it('of the same record twice fails on chain', async () => {
    const externalId = randomUUID();
    service.variants.mining.of[externalId] = 'HELD';
    const entry = client.entry(externalId, picture);
    await client.issue([entry]);
    service.chain.fail(externalId);
    delete service.variants.mining.of[externalId];
    expect((await client.issue([entry])).status).toBe(201);
    await expect.poll(() => service.chain.mintsOf(externalId)).toBe(1);
    service.chain.mint(externalId);
    expect(service.chain.mintsOf(externalId)).toBe(1);
    expect((await received(3))[2]?.data).toMatchObject([{ message: 'the token exists already' }]);
  });
});

describe('the subgraph', () => {
  const record = `query ($id: ID!, $block: Block_height) {
    srr: srrs(where: { id_in: [$id] }, first: 1, block: $block) {
      id tokenId collection { id } artist { userType } ownerAddress metadataDigest royaltyBasisPoints
      provenance { from to } metadataHistory { metadataDigest }
    }
    _meta(block: $block) { block { number hash timestamp } hasIndexingErrors }
  }`;

  it('has a record under its hashed id, at the block of its minting and not before', async () => {
    const to = `0x${'bb'.repeat(20)}`;
    const { externalId, srr } = await issueOne({ to, metadata: { contractTerms: { royaltyRate: 15.7 } } });
    await received(1);
    const id = srrIdOf(registry, srr.tokenId);
    const { data } = await client.query(record, { id });
    expect(data.srr[0]).toMatchObject({
      tokenId: srr.tokenId,
      collection: null,
      artist: { userType: 'artist' },
      ownerAddress: to,
      royaltyBasisPoints: 1570,
      provenance: [{ from: client.account.address, to }],
      metadataHistory: [{ metadataDigest: srr.metadataCID }],
    });
    const mined = service.chain.records.find((one) => one.externalId === externalId)?.block ?? 0;
    const before = await client.query(record, { id, block: { number: mined - 1 } });
    expect(before.data.srr).toEqual([]);
    const { hash } = service.chain.blocks.find(({ number }) => number === mined) ?? {};
    expect((await client.query(record, { id, block: { hash } })).data.srr).toHaveLength(1);
  });

  it('can lag by blocks or by time, and reports its block', async () => {
    service.variants.index.lagBlocks = 1_000_000;
    const { srr } = await issueOne();
    await received(1);
    const id = srrIdOf(registry, srr.tokenId);
    const behind = await client.query(record, { id });
    expect(behind.data.srr).toEqual([]);
    expect(behind.data._meta.block.number).toBeLessThan(service.chain.head.number);
    const { errors } = await client.query(record, { id, block: { number: service.chain.head.number } });
    expect(errors[0].message).toMatch(/has only indexed up to block number 1000 and data/);
    Object.assign(service.variants.index, { lagBlocks: 0, lagMs: 100 });
    await expect.poll(async () => (await client.query(record, { id })).data.srr.length).toBe(1);
  });

  it('can use bare token ids as an older version does, leave out block details, or be down', async () => {
    service.variants.index.srrIds = 'TOKEN_ID';
    const { srr } = await issueOne();
    await received(1);
    expect((await client.query(record, { id: srr.tokenId })).data.srr[0].id).toBe(srr.tokenId);
    Object.assign(service.variants.index, { blockDetails: false, hasIndexingErrors: true });
    const { _meta } = (await client.query(record, { id: '0' })).data;
    expect(_meta).toMatchObject({ block: { hash: null, timestamp: null }, hasIndexingErrors: true });
    service.variants.next.index = [serviceFaults.lost('BEFORE')];
    await expect(client.query(record, { id: '0' })).rejects.toThrow();
  });

  it('filters and sorts as a subgraph does', async () => {
    const list = 'query ($where: SRR_filter) { srrs(where: $where, orderBy: createdAt) { tokenId } }';
    const { srr } = await issueOne({ lockExternalTransfer: true });
    await received(1);
    const find = async (where: object) => (await client.query(list, { where })).data?.srrs.length;
    expect(await find({ tokenId_in: [srr.tokenId], lockExternalTransfer: true })).toBe(1);
    expect(await find({ and: [{ tokenId: srr.tokenId }, { collection_not: null }] })).toBe(0);
    expect(await find({ or: [{ tokenId: srr.tokenId }, { createdAt_gt: '99999999999999' }] })).toBe(1);
    expect(await find({ tokenId: srr.tokenId, artist_: { englishName_contains_nocase: 'ARTIST' } })).toBe(1);
    const { errors } = await client.query(list, { where: { tokenId: '1', or: [] } });
    expect(errors[0].message).toMatch(/Cannot mix column filters/);
  });
});

describe('content', () => {
  it('is served by CID as a block and as a file once it is published', async () => {
    service.variants.ipfs.publishMs = 80;
    const file = `${randomUUID()}.png`;
    const url = await client.upload(file, 'non_attachment_file', randomBytes(600_000).toString('base64'));
    await expect.poll(async () => (await client.state(file)).body.results[0].cid).toBeTruthy();
    const { cid, size } = (await client.state(file)).body.results[0];
    const get = (path: string) => fetch(`${service.ipfsUrl}/ipfs/${path}`);
    expect((await get(cid)).status).toBe(404);
    const { srr } = await issueOne({ metadata: { image: url } });
    await expect.poll(async () => (await get(srr.metadataCID)).status).toBe(200);
    const document = await (await get(`${srr.metadataCID}?format=raw`)).json();
    expect(document.image).toBe(`ipfs://${cid}`);
    expect((await (await get(cid)).arrayBuffer()).byteLength).toBe(size);
    expect((await get(`${cid}?format=car`)).status).toBe(406);
    expect((await get('bafkqaaa?format=raw')).status).toBe(200);
  });

  it('includes the attachments in the metadata document', async () => {
    const files = await Promise.all(
      ['artwork', 'certificate'].map(async (category) => {
        const filename = `${randomUUID()}.pdf`;
        const url = await client.upload(filename, category);
        await expect
          .poll(async () => (await client.state(filename, category)).body.results[0].hash)
          .toBeTruthy();
        return { name: filename, category, url };
      }),
    );
    const { srr } = await issueOne({ attachmentFiles: files });
    const document = await (await fetch(srr.metadataURL)).json();
    expect(document.digitalComponents).toEqual([
      { category: 'artwork', hash: expect.stringMatching(/^sha256-/) },
    ]);
    expect(document.attachmentFiles).toEqual([
      { category: 'certificate', hash: expect.stringMatching(/^sha256-/) },
    ]);
  });
});

describe('a collection', () => {
  const ask = (salt: string) => client.post('collection', { payload: { name: 'Set', symbol: 'S', salt } });
  const freshSalt = () => `0x${randomBytes(32).toString('hex')}`;

  it('is reported and indexed, and accepts records of its owner only', async () => {
    const { status, body } = await ask(freshSalt());
    expect([status, body.result.status]).toEqual([201, 'waiting_for_mining']);
    const { collectionAddress } = body.result;
    expect((await received(1))[0]).toMatchObject({
      type: 'collection_created',
      data: [{ collectionAddress }],
    });
    const { srr } = await issueOne({ collectionAddress });
    expect(srr.collectionContractAddress).toBe(collectionAddress);
    const id = srrIdOf(collectionAddress, srr.tokenId);
    await expect
      .poll(async () => (await client.query(`{ srrs(where: {id: "${id}"}) { collection { name } } }`)).data)
      .toEqual({ srrs: [{ collection: { name: 'Set' } }] });
    const stranger = new OtherServiceClient(service, service.accounts[1]);
    const refused = await stranger.issue([client.entry(randomUUID(), picture, { collectionAddress })]);
    expect(refused.body.message).toMatch(/^SERVICE_ERROR: The collection is not owned/);
  });

  it('can fail at once, with an error, or because its salt was used before', async () => {
    service.variants.collectionStatus = 'failed';
    expect((await ask(freshSalt())).body.result.status).toBe('failed');
    service.plain();
    const salt = freshSalt();
    service.variants.deliveries.ids = 'NESTED';
    await ask(salt);
    await ask(salt);
    const bodies = await received(2);
    expect(bodies.map(({ type }) => type)).toEqual(['collection_created', 'collection_create_failed']);
    expect(bodies[1]?.data).toMatchObject([{ collection: { salt }, message: 'the salt was used before' }]);
    service.variants.always.collection = serviceFaults.serviceError('out of gas');
    expect((await ask(freshSalt())).status).toBe(500);
  });
});
