import { type Address, parseAddress } from '@srr-gateway/common/address';
import { silent } from '@srr-gateway/common/testing/database';
import {
  artist,
  buyers,
  caughtUp,
  chain,
  collection,
  subgraph as index,
  issuer,
  salt,
  serveIndex,
  tokenId as tokenIdOf,
  transfer,
  useWorld,
} from '@srr-gateway/sandbox/testing/subgraph-world';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type Catalog,
  type CollectionRecord,
  createCatalog,
  keyOfRow,
  type Order,
  type SrrRecord,
} from '../../src/catalog/catalog.ts';
import { createIpfs, type Ipfs } from '../../src/clients/ipfs/ipfs.ts';
import { createSubgraph, type Subgraph } from '../../src/clients/subgraph/subgraph.ts';
import { closedPort } from '../_util/http-server.ts';
import { addBlock, type Blocks, serveBlocks } from '../_util/trustless-gateway.ts';

// The catalog over a real chain, the sandbox's index of it in graph-node's dialect, and real content.

useWorld();

const blocks: Blocks = new Map();
const works = 30;
const tokens: string[] = [];
let routes: Awaited<ReturnType<typeof serveIndex>>;
let queries = 0;
let subgraph: Subgraph;
let ipfs: Ipfs;
let catalog: Catalog;
let down: Catalog;

const byName: Order<CollectionRecord> = {
  field: 'name',
  direction: 'asc',
  text: true,
  valueOf: ({ name }) => name,
};
const newest: Order<SrrRecord> = { field: 'createdAt', direction: 'desc', valueOf: (row) => row.createdAt };
const request = (of: Catalog = catalog) => of.request(new AbortController().signal);
const checksummed = (address: string) => parseAddress(address) as Address;

let issued = 0;

async function issueWorks(count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const name = `Work ${issued++}`;
      const document = { name, title: { en: name } };
      const cid = await addBlock(blocks, new TextEncoder().encode(JSON.stringify(document)));
      tokens.push(tokenIdOf(cid.toString(), artist));
      await chain.issue({
        issuer,
        artist,
        isPrimaryIssuer: true,
        lockExternalTransfer: false,
        metadataCID: cid.toString(),
        ...(i % 3 === 0 && { to: buyers[0] as Address }),
      });
    }),
  );
  await caughtUp();
}

beforeAll(async () => {
  await issueWorks(works);
  routes = await serveIndex(() => queries++);
  subgraph = createSubgraph({ endpoints: [routes.url], log: silent });
  const registryAddress = checksummed(chain.registryAddress);
  const broken = createSubgraph({ endpoints: [await closedPort()], log: silent });
  ipfs = createIpfs({ gateways: [await closedPort()], log: silent });
  catalog = createCatalog({ subgraph, ipfs, registryAddress, indexWaitMs: 5_000 });
  down = createCatalog({ subgraph: broken, ipfs, registryAddress, indexWaitMs: 0 });
});
afterAll(async () => {
  await subgraph?.close();
  await ipfs?.close();
  await routes?.close();
});
beforeEach(() => {
  queries = 0;
});

describe('a record', () => {
  it('has its people and verified metadata with one subgraph query', async () => {
    const gateway = await serveBlocks(blocks);
    const content = createIpfs({ gateways: [gateway.url], log: silent });
    const reads = request(
      createCatalog({ subgraph, ipfs: content, registryAddress: undefined, indexWaitMs: 0 }),
    );
    const [tokenId] = tokens as [string];
    const { row, indexing, at } = await reads.indexedRecord({ collection: null, tokenId });
    expect({ indexing, block: at?.number }).toEqual({ indexing: 'INDEXED', block: index.head()?.number });
    expect(row).toMatchObject({
      tokenId,
      collection: null,
      issuer: { englishName: 'North Gallery' },
      artist: { englishName: 'Ada Vermeer', userType: 'artist' },
      isPrimaryIssuer: true,
    });
    const metadata = await reads.documents.read(row?.metadataDigest ?? '');
    expect(metadata).toMatchObject({
      status: 'VERIFIED',
      document: { name: expect.stringMatching(/^Work/) },
    });
    expect(queries).toBe(1);
    await content.close();
  });

  it('is found by contract and token id, with one query for many records', async () => {
    const reads = request();
    const keys = tokens.map((tokenId) => ({ collection: null, tokenId }));
    const parts = await Promise.all([
      ...keys.map((key) => reads.indexedRecord(key)),
      reads.indexedRecord({ collection: null, tokenId: '7' }),
      reads.indexedRecord({ collection: checksummed(collection), tokenId: tokens[0] as string }),
    ]);
    expect(parts.slice(0, works).map(({ row }) => row?.tokenId)).toEqual(tokens.slice(0, works));
    expect(parts.slice(works).map(({ indexing }) => indexing)).toEqual([
      'NOT_YET_INDEXED',
      'NOT_YET_INDEXED',
    ]);
    expect(queries).toBe(1);
  });

  it('is found among more keys than a list may have, even without a registry address', async () => {
    const unknown = Array.from({ length: 1_000 }, (_, i) => ({ collection: null, tokenId: String(i + 1) }));
    const keys = tokens.map((tokenId) => ({ collection: null, tokenId }));
    const reads = createCatalog({ subgraph, ipfs, registryAddress: undefined, indexWaitMs: 0 });
    const { minted } = await reads.mintedOf([...unknown, ...keys], AbortSignal.timeout(5_000));
    expect(minted).toEqual(keys);
  });

  it('is found by token id alone when no columns are selected', async () => {
    const reads = request(createCatalog({ subgraph, ipfs, registryAddress: undefined, indexWaitMs: 0 }));
    const key = { collection: null, tokenId: tokens[0] as string };
    expect(await reads.indexedRecord(key, '')).toMatchObject({ row: { tokenId: key.tokenId } });
  });

  it('that is requested twice takes one query for the columns of both', async () => {
    const reads = request(catalog);
    const key = { collection: null, tokenId: tokens[0] as string };
    const reading = ['ownerAddress', 'metadataDigest'].map((columns) => reads.indexedRecord(key, columns));
    const [owned, described] = (await Promise.all(reading)).map(({ row }) => row);
    expect([owned?.ownerAddress, described?.metadataDigest]).toEqual([
      expect.any(String),
      expect.any(String),
    ]);
    expect(queries).toBe(1);
  });

  it('is UNAVAILABLE without a subgraph, while its other sources still answer', async () => {
    const reads = request(down);
    const part = await reads.indexedRecord({ collection: null, tokenId: tokens[0] as string });
    expect(reads.complete).toBe(false);
    expect(part).toMatchObject({ indexing: 'UNAVAILABLE', error: { code: 'UPSTREAM_UNAVAILABLE' } });
    expect(await request(down).documents.read('')).toEqual({ status: 'PENDING' });
    expect(
      await request(down).documents.read('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'),
    ).toEqual({
      status: 'UNAVAILABLE',
    });
  });

  it('that was just minted is awaited until it is indexed', async () => {
    const cid = await addBlock(blocks, new TextEncoder().encode(`{"name":"Fresh ${issued++}"}`));
    const key = { collection: null, tokenId: tokenIdOf(cid.toString(), artist) };
    const reads = request();
    expect((await reads.indexedRecord(key)).indexing).toBe('NOT_YET_INDEXED');
    const waiting = reads.indexedRecordOfMinted(key, new Date());
    await chain.issue({
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid.toString(),
    });
    expect(await waiting).toMatchObject({ indexing: 'INDEXED', row: { tokenId: key.tokenId } });
    expect(
      await catalog.mintedOf([key, { collection: null, tokenId: '7' }], AbortSignal.timeout(5_000)),
    ).toEqual({ block: expect.any(Number), minted: [key] });
  });

  it('that was reported long ago is read with its page, without waiting for the subgraph', async () => {
    const longAgo = new Date(Date.now() - 60_000);
    const unknown = { collection: null, tokenId: '7' };
    queries = 0;
    const reads = request();
    const parts = await Promise.all([
      ...tokens.map((tokenId) => reads.indexedRecordOfMinted({ collection: null, tokenId }, longAgo)),
      reads.indexedRecordOfMinted(unknown, longAgo),
      reads.indexedRecordOfTransferred(unknown, artist, longAgo),
    ]);
    const indexings = parts.map(({ indexing }) => indexing);
    expect(indexings).toEqual([...tokens.map(() => 'INDEXED'), 'NOT_YET_INDEXED', 'NOT_YET_INDEXED']);
    expect(queries).toBe(1);
    const addresses = [checksummed(collection), artist];
    queries = 0;
    const deployed = await Promise.all(
      addresses.map((address) => reads.collectionOfDeployed(address, longAgo)),
    );
    expect(deployed.map((found) => found?.id ?? null)).toEqual([collection.toLowerCase(), null]);
    expect(queries).toBe(1);
  });

  it('lists its transfers page by page', async () => {
    await issueWorks(1);
    const sold = tokens.at(-1) as string;
    const { row } = await request().indexedRecord({ collection: null, tokenId: sold });
    await transfer(0, buyers[1] as Address, sold);
    await transfer(1, buyers[2] as Address, sold);
    await caughtUp();
    const reads = request();
    const first = await reads.provenance(row?.id as string, { first: 2 });
    const rest = await reads.provenance(row?.id as string, { first: 2, after: first.pageInfo.endCursor });
    const names = (edges: typeof first.edges) => edges.map(({ node }) => node.to);
    expect([...names(first.edges), ...names(rest.edges)]).toEqual(
      [buyers[0], buyers[1], buyers[2]].map((buyer) => buyer?.toLowerCase()),
    );
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false]);
    const [history] = (await reads.metadataHistory(row?.id as string, {})).edges;
    expect(history?.node.metadataDigest).toBe(row?.metadataDigest);
    const foreign = { after: first.pageInfo.endCursor };
    expect(() => reads.metadataHistory(row?.id as string, foreign)).toThrow('does not belong to this list');
    expect((await reads.customHistories(row?.id as string, {})).edges).toEqual([]);
  });

  it('shares one query with other records for their first transfers', async () => {
    const { edges } = await request().srrs({ first: 10 }, newest, { inRegistry: true });
    queries = 0;
    const reads = request();
    await Promise.all(edges.map(({ node }) => reads.provenance(node.id, { first: 3 })));
    expect(queries).toBe(1);
  });
});

describe('a list of records', () => {
  const walk = async (args: { back?: boolean; between?: () => Promise<void> }, order = newest) => {
    const seen: string[] = [];
    const blocksRead = new Set<number>();
    let cursor: string | undefined;
    for (let pages = 0; ; pages++) {
      const page = args.back
        ? await request().srrs({ last: 7, before: cursor }, order, { artist: checksummed(artist) })
        : await request().srrs({ first: 7, after: cursor }, order, { artist: checksummed(artist) });
      const ids = page.edges.map(({ node }) => node.id);
      if (args.back) seen.unshift(...ids);
      else seen.push(...ids);
      blocksRead.add(page.block.number);
      const more = args.back ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
      cursor = args.back ? page.pageInfo.startCursor : page.pageInfo.endCursor;
      if (!more) return { seen, blocksRead, pages: pages + 1 };
      await args.between?.();
    }
  };

  it('has no repeats and no gaps across pages, even if records are minted meanwhile', async () => {
    const before = await walk({});
    expect(before.seen.length).toBeGreaterThan(works);
    expect(new Set(before.seen).size).toBe(before.seen.length);
    const meanwhile = await walk({ between: () => issueWorks(2) });
    expect(meanwhile.seen).toEqual(before.seen);
    expect(meanwhile.blocksRead.size).toBe(1);
    expect((await walk({})).seen.length).toBe(before.seen.length + 2 * (before.pages - 1));
  });

  it('has the same records backwards and in every order', async () => {
    const forward = await walk({});
    expect((await walk({ back: true })).seen).toEqual(forward.seen);
    const byToken: Order<SrrRecord> = {
      field: 'tokenId',
      direction: 'asc',
      valueOf: (row) => row.tokenId ?? '',
    };
    expect((await walk({}, byToken)).seen.toSorted()).toEqual(forward.seen.toSorted());
    const oldest: Order<SrrRecord> = { ...newest, direction: 'asc' };
    expect((await walk({}, oldest)).seen).toEqual(forward.seen.toReversed());
  });

  it('takes one query per page', async () => {
    await request().srrs({ first: 50 }, newest, {});
    expect(queries).toBe(1);
  });

  it('can be filtered by every condition', async () => {
    const count = async (filter: Parameters<ReturnType<typeof request>['srrs']>[2]) =>
      (await request().srrs({ first: 999 }, newest, filter)).edges.map(({ node }) => node);
    const all = await count({});
    const inCollection = await count({ collection: checksummed(collection) });
    expect(inCollection.length).toBe(2);
    expect(inCollection.every((row) => keyOfRow(row).collection === checksummed(collection))).toBe(true);
    expect(await count({ inRegistry: false })).toEqual(inCollection);
    expect((await count({ inRegistry: true })).length).toBe(all.length - 2);
    expect((await count({ collection: checksummed(chain.registryAddress) })).length).toBe(all.length - 2);
    expect((await count({ issuer: checksummed(issuer) })).length).toBe(all.length);
    expect((await count({ artist: checksummed(buyers[2] as string) })).length).toBe(1);
    expect((await count({ lockExternalTransfer: true })).length).toBe(1);
    expect((await count({ isPrimaryIssuer: false })).length).toBe(0);
    const [some] = all as [SrrRecord];
    expect(await count({ tokenIds: [some.tokenId as string] })).toEqual([some]);
    expect(await count({ metadataCIDs: [some.metadataDigest as string] })).toEqual([some]);
    const moment = new Date(Number(some.createdAt));
    expect((await count({ createdAfter: moment })).length).toBe(0);
    expect((await count({ createdBefore: moment })).every((row) => row.createdAt < some.createdAt)).toBe(
      true,
    );
    const owner = checksummed(buyers[0] as string);
    const either = await count({ or: [{ owner }, { collection: checksummed(collection) }] });
    expect(either.length).toBe((await count({ owner })).length + 2);
    expect((await count({ owner, or: [{ lockExternalTransfer: true }, {}] })).length).toBe(either.length - 2);
    expect(await count({ or: [] })).toEqual([]);
    expect(await count({ or: [{ owner, or: [] }] })).toEqual([]);
  });

  it('refuses a foreign or malformed cursor, and a page size out of range', async () => {
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    const cursors = [
      'nonsense',
      forged('createdAt', 1e15, null, '1', 'x'),
      forged('createdAt', -1, null, '1', 'x'),
      forged('createdAt', 1, null, 'not a number', 'x'),
      forged('updatedAt', 1, null, '1', 'x'),
      forged(),
    ];
    for (const after of cursors)
      await expect(request().srrs({ first: 1, after }, newest, {})).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        faults: [{ path: ['after'] }],
      });
    await expect(request().srrs({ first: 1_000 }, newest, {})).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(queries).toBe(0);
  });

  it('fails with a typed error when the subgraph is down', async () => {
    await expect(request(down).srrs({ first: 1 }, newest, {})).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
    });
  });
});

describe('lists of many parents', () => {
  const owners = () => [...buyers.slice(0, 3), issuer, artist].map(checksummed);
  const ids = (page: { edges: { node: SrrRecord }[] }) => page.edges.map(({ node }) => node.id);

  it('are the same as when read one by one, with one query', async () => {
    const alone = await Promise.all(owners().map((owner) => request().srrs({ first: 5 }, newest, { owner })));
    expect(alone.filter((page) => page.edges.length > 0).length).toBeGreaterThan(1);
    queries = 0;
    const reads = request();
    const together = await Promise.all(owners().map((owner) => reads.srrs({ first: 5 }, newest, { owner })));
    expect(together.map(ids)).toEqual(alone.map(ids));
    expect(together.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual(
      alone.map(({ pageInfo }) => pageInfo.hasNextPage),
    );
    expect(queries).toBe(1);
  });

  it('continue each from its own cursor, at the block of that cursor', async () => {
    const byToken: Order<SrrRecord> = { ...newest, field: 'tokenId', valueOf: (row) => row.tokenId ?? '' };
    const reads = request();
    const whole = await Promise.all(owners().map((owner) => reads.srrs({ last: 900 }, byToken, { owner })));
    const first = await Promise.all(owners().map((owner) => reads.srrs({ last: 2 }, byToken, { owner })));
    await issueWorks(3);
    queries = 0;
    const later = request();
    const rest = await Promise.all(
      owners().map((owner, i) =>
        later.srrs({ last: 900, before: first[i]?.pageInfo.startCursor }, byToken, { owner }),
      ),
    );
    for (const [i, page] of rest.entries())
      if (first[i]?.pageInfo.startCursor) {
        expect([...ids(page), ...ids(first[i])]).toEqual(ids(whole[i] as (typeof whole)[number]));
        expect(page.block).toEqual(whole[i]?.block);
      }
    // One query at the cursors' block. Owners without records have no cursor, and are read there too.
    expect(queries).toBeLessThanOrEqual(2);
  });

  it('are split into several queries at one block when the response would be too large', async () => {
    const reads = request();
    const wanted = Array.from({ length: 250 }, (_, i) => tokens[i] ?? String(i));
    const pages = await Promise.all(
      wanted.map((tokenId) => reads.srrs({ first: 1 }, newest, { tokenIds: [tokenId] })),
    );
    expect(queries).toBe(3);
    expect(pages.slice(0, works).map(({ edges }) => edges[0]?.node.tokenId)).toEqual(tokens.slice(0, works));
    expect(new Set(pages.map(({ block }) => block.hash)).size).toBe(1);
    queries = 0;
    await Promise.all(
      wanted.slice(0, 30).map((tokenId) => reads.srrs({ first: 999 }, newest, { tokenIds: [tokenId] })),
    );
    expect(queries).toBe(3);
  });
});

describe('people and collections', () => {
  it('are read by address with one query, and are null if unknown', async () => {
    const reads = request();
    const [one, two, none] = await Promise.all([
      reads.licensedUser(checksummed(issuer)),
      reads.licensedUser(checksummed(artist)),
      reads.licensedUser(checksummed(buyers[0] as string)),
    ]);
    expect([one?.originalName, two?.userType, none]).toEqual(['北画廊', 'artist', null]);
    expect(queries).toBe(1);
    expect(await reads.collection(checksummed(collection))).toMatchObject({ symbol: 'STL' });
  });

  it('are listed by owner and by a part of their name', async () => {
    const find = async (filter: { owner?: Address; nameContains?: string }) =>
      (await request().collectionPage({ first: 5 }, byName, filter)).edges.map(({ node }) => node.name);
    expect(await find({ owner: checksummed(issuer) })).toEqual(['Still Lifes']);
    expect(await find({ nameContains: 'STILL' })).toEqual(['Still Lifes']);
    expect(await find({ owner: checksummed(artist) })).toEqual([]);
  });

  it('are found by a text in which SQL wildcards are literal characters', async () => {
    for (const name of ['100% Linen', '100 Roses', 'Snow_Moon', 'Slow Motion', 'Ink\\Wash'])
      await chain.createCollection({ owner: issuer, name, symbol: 'X', salt: salt(name) });
    await caughtUp();
    const find = async (nameContains: string) =>
      (await request().collectionPage({ first: 5 }, byName, { nameContains })).edges.map(
        ({ node }) => node.name,
      );
    for (const text of ['%', '100%', '% l']) expect(await find(text)).toEqual(['100% Linen']);
    for (const text of ['_', 'w_m']) expect(await find(text)).toEqual(['Snow_Moon']);
    expect(await find('\\')).toEqual(['Ink\\Wash']);
    expect(await find('100')).toEqual(['100 Roses', '100% Linen']);
  });
});

describe('one request', () => {
  it('reads everything at one block, whichever of its reads is first', async () => {
    const reads = request();
    const [records, collections, record] = await Promise.all([
      reads.srrs({ first: 1 }, newest, {}),
      reads.collectionPage({ first: 1 }, byName, {}),
      reads.indexedRecord({ collection: null, tokenId: tokens[0] as string }),
    ]);
    await issueWorks(1);
    const later = await reads.srrs({ first: 2 }, newest, {});
    const { number } = later.block;
    expect([records.block, collections.block]).toEqual([later.block, later.block]);
    expect(record.at?.number).toBe(number);
    expect((await request().srrs({ first: 1 }, newest, {})).block.number).toBeGreaterThan(number);
  });
});

describe('a subgraph that has pruned old blocks', () => {
  it('ends paging with a typed error that has a cursor to continue from', async () => {
    const { pageInfo, block } = await request().srrs({ first: 3 }, newest, {});
    await issueWorks(1);
    const after = pageInfo.endCursor;
    expect((await request().srrs({ first: 3, after }, newest, {})).block).toEqual(block);

    index.setFaults({ earliestBlock: block.number + 1 });
    onTestFinished(() => index.setFaults({ earliestBlock: 1 }));
    await expect(request().srrs({ first: 3, after }, newest, {})).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
      faults: [
        {
          path: ['after'],
          continueAfter: expect.any(String),
          upstreamMessage: expect.stringContaining('only has data starting at block number'),
        },
      ],
    });
    expect((await request().srrs({ first: 3 }, newest, {})).edges).toHaveLength(3);
  });
});

describe('a reorganisation of the chain', () => {
  it('ends paging with a typed error, after which paging can start again', async () => {
    const { pageInfo } = await request().srrs({ first: 3 }, newest, {});
    await issueWorks(1);
    const walked = await request().srrs({ first: 3, after: pageInfo.endCursor }, newest, {});
    expect(walked.edges).toHaveLength(3);

    const { edges, block } = await request().srrs({ first: 1 }, newest, {});
    const hash = async () => (await request().srrs({ first: 1 }, newest, {})).block.hash;
    await chain.reorganise(1, 'again');
    await expect.poll(hash, { timeout: 10_000 }).not.toBe(block.hash);
    await expect(request().srrs({ first: 1, after: edges[0]?.cursor }, newest, {})).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
      faults: [{ path: ['after'], continueAfter: expect.any(String) }],
    });
    expect((await request().srrs({ first: 3 }, newest, {})).edges).toHaveLength(3);
  });
});
