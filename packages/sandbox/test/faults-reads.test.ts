import { CID } from 'multiformats/cid';
import { sha256 } from 'multiformats/hashes/sha2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { control, query } from '../testing/control.ts';
import { ownerOf, rpc, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

let test: TestSandbox;
let receiver: WebhookReceiver;
let issuer: TestIssuer;
let image: { finalUrl: string; cid: string };

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  test = await startTestSandbox({ webhooks: [{ url: receiver.url, key: 'k' }] });
  issuer = new TestIssuer(test.sandbox.info);
  image = await issuer.uploadReady('fault.png', 'non_attachment_file', 'picture');
});
afterAll(async () => {
  await test?.stop();
  await receiver?.stop();
});

async function accept(): Promise<{ externalId: string; tokenId: string }> {
  const { status, body } = await issuer.post('srrs', { payload: [issuer.entry(image.finalUrl)] });
  expect(status, JSON.stringify(body)).toBe(201);
  const [{ externalId, srr }] = body.results;
  return { externalId, tokenId: srr.tokenId };
}

const untilReported = (externalId: string) =>
  expect
    .poll(() => receiver.entries('issue_complete').map((entry) => entry.externalId), { timeout: 15_000 })
    .toContain(externalId);

const meta = '{ _meta { hasIndexingErrors block { number } } }';
const head = async () => (await query(test.sandbox.info, meta)).data._meta.block.number as number;

describe('the subgraph', () => {
  it('lags in blocks and in time', async () => {
    await turnSandbox(test.sandbox, { indexLagBlocks: 3 });
    await untilReported((await accept()).externalId);
    const chainHead = Number(await rpc(test.sandbox.info, 'eth_blockNumber', []));
    expect(await head()).toBeLessThan(chainHead);
    await turnSandbox(test.sandbox, { indexLagBlocks: 0 });
    await expect.poll(head).toBeGreaterThanOrEqual(chainHead);
  });

  it('has indexing errors, and returns data only with subgraphError: allow', async () => {
    await turnSandbox(test.sandbox, { indexingErrors: true });
    const denied = await query(test.sandbox.info, '{ srrs { id } }');
    expect(denied).toEqual({ errors: [{ message: 'indexing_error' }] });
    const allowed = await query(test.sandbox.info, '{ srrs(subgraphError: allow) { id } }');
    expect(allowed.errors).toEqual([{ message: 'indexing_error' }]);
    expect(allowed.data.srrs.length).toBeGreaterThan(0);
    const { data } = await query(test.sandbox.info, '{ _meta { hasIndexingErrors } }');
    expect(data).toEqual({ _meta: { hasIndexingErrors: true } });
    await turnSandbox(test.sandbox, { indexingErrors: false });
  });

  it('refuses queries for pruned blocks', async () => {
    await turnSandbox(test.sandbox, { indexEarliestBlock: 2 });
    const { errors } = await query(test.sandbox.info, '{ srrs(block: { number: 1 }) { id } }');
    expect(errors?.[0]?.message).toMatch(
      /only has data starting at block number 2 and data for block number 1/,
    );
    await turnSandbox(test.sandbox, { indexEarliestBlock: 1 });
  });

  it.each([
    ['timeout', 'Query timed out'],
    [
      'overloaded',
      'service is overloaded and can not run the query right now. Please try again in a few minutes',
    ],
    ['reorganised', 'the chain was reorganized while executing the query'],
    ['store', 'Store error: the query could not be run'],
  ])('answers %s once', async (effect, message) => {
    await control(test.sandbox, 'faults', { kind: 'query', effect });
    expect(await query(test.sandbox.info, meta)).toEqual({ errors: [{ message }] });
    expect(await head()).toBeGreaterThan(0);
  });

  it('is unreachable: the connection is cut, or the response is a 502 or late', async () => {
    const ask = () =>
      fetch(test.sandbox.info.subgraphUrl, { method: 'POST', body: JSON.stringify({ query: meta }) });
    await control(test.sandbox, 'faults', { kind: 'query', effect: 'drop' });
    await expect(ask()).rejects.toThrow();
    await control(test.sandbox, 'faults', { kind: 'query', effect: '502' });
    expect((await ask()).status).toBe(502);
    await control(test.sandbox, 'faults', { kind: 'query', effect: 'late', delayMs: 300 });
    const began = performance.now();
    expect((await ask()).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThan(299);
  });
});

describe('a reorganisation', () => {
  const found = async (tokenId: string) =>
    (await query(test.sandbox.info, `{ srrs(where: { tokenId: "${tokenId}" }) { originTxHash } }`)).data.srrs
      .length;

  it.each([
    ['again', 1],
    ['lost', 0],
  ])('rewinds the subgraph, and has the record mined %s', async (records, left) => {
    const { tokenId, externalId } = await accept();
    await untilReported(externalId);
    await expect.poll(() => found(tokenId)).toBe(1);
    const block = Number(await rpc(test.sandbox.info, 'eth_blockNumber', []));
    const hashBefore = await hashOf(block);
    const replaced = await control<{ from: number; transactions: string[] }>(test.sandbox, 'reorg', {
      depth: 1,
      records,
    });
    expect(replaced).toMatchObject({ from: block, transactions: [expect.stringMatching(/^0x/)] });
    await expect.poll(() => hashOf(block)).not.toBe(hashBefore);
    await expect.poll(() => found(tokenId), { timeout: 5_000 }).toBe(left);
    const { info } = test.sandbox;
    const owner = ownerOf(info, info.registryAddress, tokenId);
    if (left === 1) expect(await owner).toBe(issuer.address.toLowerCase());
    else await expect(owner).rejects.toThrow(/revert/);
    // Later transactions are mined on the new branch.
    await untilReported((await accept()).externalId);
  });

  /** The record in the subgraph. */
  async function hashOf(block: number): Promise<string | undefined> {
    const { data } = await query(
      test.sandbox.info,
      `{ _meta(block: { number_gte: ${block} }) { block { number hash } } }`,
    );
    return data?._meta?.block.hash;
  }

  it.each([
    ['again', 'issue_complete'],
    ['lost', 'issue_failed'],
  ])('of a collection, with its transactions %s: a record in it ends as %s', async (records, outcome) => {
    const { body } = await issuer.post('collection', { payload: { name: 'Gone', symbol: 'GONE' } });
    const { collectionAddress } = body.result;
    const created = () => receiver.entries('collection_created').map((entry) => entry.collectionAddress);
    await expect.poll(created, { timeout: 15_000 }).toContain(collectionAddress);
    await control(test.sandbox, 'reorg', { depth: 1, records });
    const entry = issuer.entry(image.finalUrl, { collectionAddress });
    expect((await issuer.post('srrs', { payload: [entry] })).status).toBe(201);
    const outcomes = () =>
      receiver.received.filter(({ body }) => body.data[0]?.externalId === entry.externalId);
    await expect.poll(outcomes, { timeout: 15_000 }).toMatchObject([{ body: { type: outcome } }]);
  });

  it('never removes the licensed users', async () => {
    const response = await fetch(`${test.sandbox.url}/sandbox/reorg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"depth":64}',
    });
    expect(response.status).toBe(400);
  });
});

describe('the content gateway', () => {
  const get = (query = '') => fetch(`${test.sandbox.info.ipfsUrl}/ipfs/${image.cid}${query}`);

  beforeAll(async () => {
    await accept();
  });

  it.each([
    ['timeout', 504],
    ['busy', 429],
    ['gone', 410],
  ])('answers %s', async (effect, status) => {
    await control(test.sandbox, 'faults', { kind: 'content', effect, cid: image.cid });
    const refused = await get();
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([status, null]);
    expect(refused.headers.get('retry-after')).toBe(status === 410 ? null : '5');
    expect((await get()).status).toBe(200);
  });

  it.each(['', '?format=raw'])(
    'sends bytes that are wrong, which only their hash tells (%s)',
    async (query) => {
      await control(test.sandbox, 'faults', { kind: 'content', effect: 'corrupt', cid: image.cid });
      for (const right of [false, true]) {
        const response = await get(query);
        const bytes = new Uint8Array(await response.arrayBuffer());
        expect([response.status, bytes.length]).toEqual([200, 7]);
        const { multihash } = CID.parse(image.cid);
        expect(Buffer.from((await sha256.digest(bytes)).bytes).equals(multihash.bytes)).toBe(right);
      }
    },
  );

  it('cuts the connection in the middle of the body', async () => {
    await control(test.sandbox, 'faults', { kind: 'content', effect: 'cut', cid: image.cid });
    await expect(get().then((response) => response.arrayBuffer())).rejects.toThrow();
  });

  it('does not use up a fault by HEAD requests', async () => {
    await control(test.sandbox, 'faults', { kind: 'content', effect: 'gone', cid: image.cid });
    const head = await fetch(`${test.sandbox.info.ipfsUrl}/ipfs/${image.cid}`, { method: 'HEAD' });
    expect([head.status, (await get()).status]).toEqual([200, 410]);
  });
});
