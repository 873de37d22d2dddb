import { createPublicClient, http, keccak256, parseAbi } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readWorldFile, type WorldFile } from '../src/fixtures/world-file.ts';
import { rpc, TestIssuer } from '../testing/issuer.ts';
import { startTestSandbox, type TestSandbox, turnSandbox } from '../testing/sandbox.ts';

// The public read endpoints, over the seeded world.

let test: TestSandbox;
let world: WorldFile;
let registry: string;
let buyer: string;
let tokenURI: (tokenId: string) => Promise<string>;

beforeAll(async () => {
  test = await startTestSandbox({ settings: { fixtures: true } });
  world = await readWorldFile();
  const { info } = test.sandbox;
  registry = info.registryAddress;
  buyer = info.buyers[0]?.address ?? '';
  const client = createPublicClient({ transport: http(info.rpcUrl) });
  tokenURI = (tokenId) =>
    client.readContract({
      address: registry as `0x${string}`,
      abi: parseAbi(['function tokenURI(uint256) view returns (string)']),
      functionName: 'tokenURI',
      args: [BigInt(tokenId)],
    });
  await vi.waitUntil(
    async () => (await ask('{ _meta { block { number } } }'))._meta.block.number >= world.head.number,
    {
      timeout: 10_000,
    },
  );
});
afterAll(() => test?.stop());

async function get(path: string) {
  const response = await fetch(`${test.sandbox.url}${path}`);
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

async function ask(query: string) {
  const response = await fetch(test.sandbox.info.subgraphUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await response.json();
  expect(errors).toBeUndefined();
  return data;
}

const records = () =>
  world.requests.flatMap((request) => request.records.map((record) => ({ ...record, request })));

describe('collections of a licensed user', () => {
  it('are a bare list in the documented shape', async () => {
    const [issuer] = test.sandbox.info.issuers;
    const { status, body } = await get(
      `/vendor/api/v1/licensedUser/${issuer?.address.toLowerCase()}/collections`,
    );
    expect(status).toBe(200);
    expect(body.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Harbour Lights',
      'Lantern Hall Annex',
    ]);
    for (const collection of body)
      expect(collection).toEqual({
        name: expect.any(String),
        symbol: expect.any(String),
        contractAddress: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        ownerAddress: issuer?.address,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      });
  });

  it('are an empty list for a licensed user without any', async () => {
    const [artist] = test.sandbox.info.artists;
    expect(await get(`/vendor/api/v1/licensedUser/${artist?.address}/collections`)).toMatchObject({
      status: 200,
      body: [],
    });
  });

  it.each(['0x00000000000000000000000000000000000000aa', 'nobody', '%20'])(
    'are 404 in the documented words for %s',
    async (address) => {
      const { status, body } = await get(`/vendor/api/v1/licensedUser/${address}/collections`);
      expect(status).toBe(404);
      expect(body).toEqual({
        statusCode: 404,
        message: `Cannot GET /api/v1/licensedUser/${decodeURIComponent(address)}/collections`,
      });
    },
  );
});

describe('owned records', () => {
  const owned = (query: string) => get(`/port/api/v1/ownerAddress/${buyer}/ownedSrrs${query}`);

  it('over all pages are those of the subgraph, each once', async () => {
    const { srrs } = await ask(
      `{ srrs(first: 1000, where: { ownerAddress: "${buyer.toLowerCase()}" }) { tokenId } }`,
    );
    const pages = [];
    for (let page = 1; pages.at(-1)?.length !== 0; page++)
      pages.push((await owned(`?limit=17&page=${page}`)).body);
    const ids = pages.flat().map(({ tokenId }: { tokenId: string }) => tokenId);
    expect(ids).toHaveLength(srrs.length);
    expect(new Set(ids)).toEqual(new Set(srrs.map(({ tokenId }: { tokenId: string }) => tokenId)));
  });

  it('are 100 on a page by default, and ignore an offset', async () => {
    const plain = await owned('');
    expect(plain.body.length).toBeLessThanOrEqual(100);
    expect((await owned('?offset=5')).body).toEqual(plain.body);
  });

  it('have the shape of version 1.3.0, with the document as published', async () => {
    const { body } = await owned('?limit=1');
    const [record] = body;
    expect(Object.keys(record).sort()).toEqual([
      'artist',
      'artistAddress',
      'collection',
      'createdAt',
      'history',
      'id',
      'isPrimaryIssuer',
      'issuer',
      'lockExternalTransfer',
      'metadata',
      'metadataDigest',
      'metadataHistory',
      'ownerAddress',
      'provenance',
      'royaltyBasisPoints',
      'royaltyReceiver',
      'tokenId',
      'transferCommitment',
      'transfers',
      'updatedAt',
    ]);
    expect(record.ownerAddress).toBe(buyer);
    expect(record.id).toBe(`${(record.collection?.id ?? registry).toLowerCase()}-${record.tokenId}`);
    const published = await get(`/ipfs/${record.metadataDigest}`);
    expect(record.metadata).toEqual(published.body);
  });

  it('of an unknown owner are an empty list', async () => {
    expect(await get(`/port/api/v1/ownerAddress/0x${'0'.repeat(40)}/ownedSrrs`)).toMatchObject({
      status: 200,
      body: [],
    });
  });

  it.each([
    ['limit=0', 'limit must not be less than 1'],
    ['limit=1001', 'limit must not be greater than 1000'],
    ['limit=ten', 'limit must be an integer number'],
    ['page=1.5', 'page must be an integer number'],
    ['page=-1', 'page must not be less than 1'],
  ])('refuse %s', async (query, message) => {
    expect(await owned(`?${query}`)).toMatchObject({
      status: 400,
      body: { statusCode: 400, message: [message] },
    });
  });

  it('refuse an owner that is not an address', async () => {
    expect(await get('/port/api/v1/ownerAddress/0x12/ownedSrrs')).toMatchObject({
      status: 400,
      body: { statusCode: 400, message: ['ownerAddress must be a valid Ethereum addresses'] },
    });
  });

  it("can be paged far beyond the limit of the subgraph's `skip`", async () => {
    expect(await owned('?limit=1000&page=900000')).toMatchObject({ status: 200, body: [] });
  });
});

describe('one record', () => {
  it('of a collection is found by its contract, without metadata, histories and transfers', async () => {
    const wanted = records().find(({ collection }) => collection !== null);
    const { status, body } = await get(
      `/port/api/v1/collection/${wanted?.collection}/srr/${wanted?.tokenId}`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tokenId: wanted?.tokenId,
      metadataDigest: wanted?.metadataCID,
      artistAddress: wanted?.artist,
    });
    for (const left of ['metadata', 'history', 'transfers', 'status', 'srrOwnable'])
      expect(body).not.toHaveProperty(left);
  });

  it('of the registry is found by the registry’s address, and by the deprecated path', async () => {
    const wanted = records().find(({ collection }) => collection === null);
    const found = await get(`/port/api/v1/collection/${registry}/srr/${wanted?.tokenId}`);
    expect(found).toMatchObject({ status: 200, body: { tokenId: wanted?.tokenId, collection: null } });
    expect((await get(`/port/api/v1/srr/${wanted?.tokenId}`)).body).toEqual(found.body);
  });

  it('is 404 when it does not exist, and 400 for a malformed request', async () => {
    expect(await get('/port/api/v1/srr/1')).toMatchObject({
      status: 404,
      body: { statusCode: 404, message: `SRR not found: ${registry.toLowerCase()}-1` },
    });
    expect(await get('/port/api/v1/srr/0x1')).toMatchObject({
      status: 400,
      body: { message: ['tokenId must be a number string'] },
    });
    expect(await get('/port/api/v1/collection/here/srr/1')).toMatchObject({
      status: 400,
      body: { message: ['collectionContractAddress must be a valid Ethereum addresses'] },
    });
    expect(await get(`/port/api/v1/srr/${'9'.repeat(78)}`)).toMatchObject({ status: 404 });
  });
});

describe('metadata from before 2023', () => {
  it('is served by token, by contract and token, and where the token URI points, byte for byte', async () => {
    const legacy = records().filter(({ metadataCID }) => metadataCID.startsWith('0x'));
    expect(legacy.length).toBeGreaterThanOrEqual(5);
    await expect
      .poll(() => tokenURI(legacy[0]?.tokenId ?? ''), { timeout: 10_000 })
      .toContain(test.sandbox.url);
    for (const { tokenId, metadataCID } of legacy) {
      const uri = await tokenURI(tokenId);
      expect(uri).toBe(`${test.sandbox.url}/api/v1/metadata/${metadataCID}.json`);
      const { text, body } = await get(uri.slice(test.sandbox.url.length));
      expect(keccak256(Buffer.from(text))).toBe(metadataCID);
      expect(body.title).toBeTypeOf('object');
      expect((await get(`/vendor/api/v1/srr/metadata/${tokenId}.json`)).text).toBe(text);
      expect((await get(`/vendor/api/v1/srr/metadata/${registry}/${tokenId}.json`)).text).toBe(text);
    }
  });

  it('is served for newer records too, as at their token URI', async () => {
    const newer = records().find(({ collection }) => collection !== null);
    const { text } = await get(`/vendor/api/v1/srr/metadata/${newer?.collection}/${newer?.tokenId}.json`);
    expect(text).toBe((await get(`/ipfs/${newer?.metadataCID}`)).text);
  });

  it.each([
    '/vendor/api/v1/srr/metadata/1.json',
    '/vendor/api/v1/srr/metadata/one.json',
    `/api/v1/metadata/0x${'1'.repeat(64)}.json`,
    '/api/v1/metadata/0x12.json',
  ])('is 404 for %s', async (path) => {
    expect(await get(path)).toMatchObject({
      status: 404,
      body: { statusCode: 404, message: `Cannot GET ${path.replace('/vendor', '')}` },
    });
  });
});

it('reads are allowed from any origin, without a key', async () => {
  const response = await fetch(`${test.sandbox.url}/port/api/v1/ownerAddress/${buyer}/ownedSrrs?limit=1`);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
});

it('a new record is among the owned records as soon as the subgraph has it', async () => {
  const issuer = new TestIssuer(test.sandbox.info);
  const image = await issuer.uploadReady('fresh.png', 'non_attachment_file', 'fresh picture');
  const { body } = await issuer.post('srrs', { payload: [issuer.entry(image.finalUrl)] });
  const { tokenId, metadataCID } = body.results[0].srr;
  await expect
    .poll(() => get(`/port/api/v1/srr/${tokenId}`).then(({ status }) => status), { timeout: 15_000 })
    .toBe(200);
  expect((await get(`/port/api/v1/srr/${tokenId}`)).body).toMatchObject({
    ownerAddress: issuer.address,
    metadataDigest: metadataCID,
  });
  expect(await rpc(test.sandbox.info, 'eth_chainId', [])).toBe('0x7a69');
});

it('a failure of the subgraph is the documented 502', async () => {
  await turnSandbox(test.sandbox, { indexingErrors: true });
  try {
    expect(await get('/port/api/v1/srr/1')).toMatchObject({
      status: 502,
      body: { statusCode: 502, message: 'Bad Gateway' },
    });
  } finally {
    await turnSandbox(test.sandbox, { indexingErrors: false });
  }
});
