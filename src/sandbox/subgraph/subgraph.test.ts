import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type Address, createWalletClient, type Hex, http, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { silent as log, testDatabase } from '../../../test/_util/database.ts';
import type { Database } from '../../lib/database/database.ts';
import { customHistoriesAbi, registryAbi } from '../chain/artifacts/abis.ts';
import { type Chain, startChain } from '../chain/chain.ts';
import { tokenId } from '../chain/token-id.ts';
import { provenanceId, srrId } from './mapping/ids.ts';
import { subgraphMigrations } from './migrations.ts';
import { type Subgraph, startSubgraph } from './subgraph.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'subgraph-'));
const salt = (text: string): Hex => keccak256(toHex(text));
const cid = (name: string) => `bafkrei${name}`;

let database: Database;
let dropDatabase: () => Promise<void>;
let chain: Chain;
let subgraph: Subgraph;
let issuer: Address;
let artist: Address;
let collection: Address;
let buyers: Address[];

beforeAll(async () => {
  ({ database, drop: dropDatabase } = await testDatabase());
  await new Migrator({
    db: new Kysely({ dialect: database.dialect }),
    provider: { getMigrations: async () => subgraphMigrations },
  }).migrateToLatest();
  chain = await startChain({ stateDir, port: 0, miningIntervalMs: 30, log });
  subgraph = await startSubgraph({ database, chain, log });
  const owners = chain.accounts.owners.map((owner) => owner.address);
  buyers = chain.accounts.buyers.map((buyer) => buyer.address);
  issuer = await chain.registerLicensedUser({
    englishName: 'North Gallery',
    originalName: '北画廊',
    userType: 'handler',
    owners,
    threshold: 2,
    salt: salt('issuer'),
  });
  artist = await chain.registerLicensedUser({
    englishName: 'Ada Vermeer',
    originalName: 'Ada Vermeer',
    userType: 'artist',
    owners: owners.slice(0, 1),
    threshold: 1,
    salt: salt('artist'),
  });
  await chain.createCollection({ owner: issuer, name: 'Still Lifes', symbol: 'STL', salt: salt('still') });
  collection = chain.predictCollection(salt('still'));
  const record = { issuer, artist, isPrimaryIssuer: true, lockExternalTransfer: false };
  await Promise.all([
    chain.issue({ ...record, metadataCID: cid('a') }),
    chain.issue({
      ...record,
      metadataCID: cid('b'),
      to: buyers[0],
      royalty: { receiver: artist, basisPoints: 1570 },
    }),
    chain.issue({ ...record, metadataCID: cid('c'), collection, lockExternalTransfer: true }),
    chain.issue({ ...record, metadataCID: cid('d'), artist: buyers[2] as Address, collection }),
  ]);
  await caughtUp();
});
afterAll(async () => {
  await subgraph.stop();
  await chain.stop();
  await dropDatabase();
  rmSync(stateDir, { recursive: true, force: true });
});

async function caughtUp(): Promise<void> {
  const height = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await vi.waitFor(() => expect(subgraph.head()?.number).toBe(height), { timeout: 10_000 });
}

// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of the query beside them
async function ask(query: string, variables?: Record<string, unknown>): Promise<any> {
  const { data, errors } = await subgraph.query({ query, variables });
  expect(errors).toBeUndefined();
  return data;
}

async function refusal(query: string): Promise<string> {
  const answer = await subgraph.query({ query });
  expect(answer.data).toBeUndefined();
  return answer.errors?.[0]?.message ?? '';
}

const idOf = (name: string, contract = chain.registryAddress, by = artist) =>
  srrId(contract, BigInt(tokenId(cid(name), by)));

async function transfer(from: number, to: Address, token: string): Promise<void> {
  const account = privateKeyToAccount(chain.accounts.buyers[from]!.privateKey);
  const hash = await createWalletClient({
    account,
    chain: foundry,
    transport: http(chain.rpcUrl),
  }).writeContract({
    address: chain.registryAddress,
    abi: registryAbi,
    functionName: 'transferFrom',
    args: [account.address, to, BigInt(token)],
  });
  await chain.client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
}

describe('the index', () => {
  it('gives a record with all that belongs to it, in the value formats of a live one', async () => {
    const token = tokenId(cid('b'), artist);
    const { srr } = await ask(
      `query ($id: ID!) { srr(id: $id) {
        id tokenId isPrimaryIssuer lockExternalTransfer metadataDigest ownerAddress artistAddress
        royaltyReceiver royaltyBasisPoints originChain originTxHash createdAt createdAtStr transferCommitment
        collection { id }
        issuer { id walletAddress threshold englishName originalName userType owners salt originChain }
        artist { userType }
        provenance { id timestamp from to metadataDigest metadataURI isIntermediary sender customHistory { id } }
        metadataHistory { metadataDigest createdAt }
        history { id }
      } }`,
      { id: idOf('b') },
    );
    expect(srr).toMatchObject({
      id: idOf('b'),
      tokenId: token,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataDigest: cid('b'),
      ownerAddress: buyers[0]?.toLowerCase(),
      artistAddress: artist.toLowerCase(),
      royaltyReceiver: artist.toLowerCase(),
      royaltyBasisPoints: 1570,
      originChain: 'eip155:31337',
      transferCommitment: null,
      collection: null,
      issuer: {
        id: issuer.toLowerCase(),
        walletAddress: issuer.toLowerCase(),
        threshold: 2,
        englishName: 'North Gallery',
        originalName: '北画廊',
        userType: 'handler',
        owners: chain.accounts.owners.map((owner) => owner.address.toLowerCase()),
        salt: salt('issuer'),
        originChain: null,
      },
      artist: { userType: 'artist' },
      metadataHistory: [{ metadataDigest: cid('b'), createdAt: srr.createdAt }],
      history: [],
    });
    expect(srr.originTxHash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(srr.createdAt).toMatch(/^\d{10}000$/);
    expect(Date.parse(srr.createdAtStr)).toBe(Number(srr.createdAt));
    expect(srr.provenance).toEqual([
      {
        id: provenanceId(idOf('b'), srr.createdAt),
        timestamp: srr.createdAt,
        from: issuer.toLowerCase(),
        to: buyers[0]?.toLowerCase(),
        metadataDigest: '',
        metadataURI: '',
        isIntermediary: false,
        sender: null,
        customHistory: null,
      },
    ]);
  });

  it('knows collections, and artists who are no licensed users only by their address', async () => {
    const data = await ask(
      `query ($id: ID!) { collection(id: $id) {
        id name symbol salt ownerAddress creatorAddress
        srrs(orderBy: tokenId) { id artist { id } artistAddress lockExternalTransfer royaltyReceiver }
      } }`,
      { id: collection.toLowerCase() },
    );
    expect(data.collection).toMatchObject({
      id: collection.toLowerCase(),
      name: 'Still Lifes',
      symbol: 'STL',
      salt: salt('still'),
      ownerAddress: issuer.toLowerCase(),
      creatorAddress: issuer.toLowerCase(),
    });
    const stranger = { artist: null, artistAddress: buyers[2]?.toLowerCase(), lockExternalTransfer: false };
    expect(data.collection.srrs).toHaveLength(2);
    expect(data.collection.srrs).toContainEqual({
      id: idOf('d', collection, buyers[2]),
      ...stranger,
      royaltyReceiver: null,
    });
    expect(data.collection.srrs).toContainEqual(
      expect.objectContaining({ id: idOf('c', collection), lockExternalTransfer: true }),
    );
  });

  it('follows a plain ERC-721 transfer, and still answers for the time before it', async () => {
    const token = tokenId(cid('b'), artist);
    const before = subgraph.head()?.number;
    await transfer(0, buyers[1] as Address, token);
    await caughtUp();
    const query = `query ($id: ID!, $block: Block_height) {
      srr(id: $id, block: $block) { ownerAddress updatedAt provenance(orderBy: timestamp) { to } } }`;
    const now = await ask(query, { id: idOf('b') });
    expect(now.srr).toMatchObject({
      ownerAddress: buyers[1]?.toLowerCase(),
      provenance: [{ to: buyers[0]?.toLowerCase() }, { to: buyers[1]?.toLowerCase() }],
    });
    const then = await ask(query, { id: idOf('b'), block: { number: before } });
    expect(then.srr).toMatchObject({
      ownerAddress: buyers[0]?.toLowerCase(),
      provenance: [{ to: buyers[0]?.toLowerCase() }],
    });
    expect(Number(now.srr.updatedAt)).toBeGreaterThan(Number(then.srr.updatedAt));
  });

  it('keeps reservations, histories and changes of metadata', async () => {
    const token = BigInt(tokenId(cid('a'), artist));
    const registry = { address: chain.registryAddress, abi: registryAbi };
    const histories = { address: chain.deployment.customHistories, abi: customHistoriesAbi };
    const reveal = salt('reveal');
    for (const call of [
      { ...histories, functionName: 'addType', args: ['auction'] },
      { ...histories, functionName: 'addHistory', args: [1n, 'Spring sale', cid('sale')] },
      { ...histories, functionName: 'changeHistory', args: [1n, 'Spring sale 2', cid('sale2')] },
      { ...histories, functionName: 'addRecord', args: [1n, chain.registryAddress, token] },
      { ...registry, functionName: 'setMetadata', args: [token, cid('a2')] },
      { ...registry, functionName: 'reserveTransfer', args: [token, keccak256(reveal), cid('story'), 1n] },
    ]) {
      expect(await chain.write(call)).toMatchObject({ status: 'mined' });
    }
    await caughtUp();
    const query = `query ($id: ID!) {
      srr(id: $id) { ownerAddress metadataDigest transferCommitment
        metadataHistory(orderBy: createdAt) { metadataDigest }
        history { customHistory { name metadataDigest historyType { name } metadataHistory { name metadataDigest } } }
        provenance { to metadataDigest metadataURI sender isIntermediary customHistory { id } } }
      srrtransferCommit(id: $id) { commitment lastAction sender customHistory { id } }
    }`;
    const operator = chain.accounts.operator.address.toLowerCase();
    expect(await ask(query, { id: idOf('a') })).toEqual({
      srr: {
        ownerAddress: issuer.toLowerCase(),
        metadataDigest: cid('a2'),
        transferCommitment: keccak256(reveal),
        metadataHistory: [{ metadataDigest: cid('a') }, { metadataDigest: cid('a2') }],
        history: [
          {
            customHistory: {
              name: 'Spring sale 2',
              metadataDigest: cid('sale2'),
              historyType: { name: 'auction' },
              metadataHistory: [{ name: 'Spring sale', metadataDigest: cid('sale') }],
            },
          },
        ],
        provenance: [],
      },
      srrtransferCommit: {
        commitment: keccak256(reveal),
        lastAction: 'approve',
        sender: operator,
        customHistory: { id: '1' },
      },
    });

    await chain.write({
      ...registry,
      functionName: 'transferByReveal',
      args: [buyers[2], token, reveal, true],
    });
    await caughtUp();
    expect(await ask(query, { id: idOf('a') })).toMatchObject({
      srr: {
        ownerAddress: buyers[2]?.toLowerCase(),
        transferCommitment: null,
        provenance: [
          {
            to: buyers[2]?.toLowerCase(),
            metadataDigest: cid('story'),
            metadataURI: `ipfs://${cid('story')}`,
            sender: operator,
            isIntermediary: true,
            customHistory: { id: '1' },
          },
        ],
      },
      srrtransferCommit: { commitment: null, lastAction: 'transfer' },
    });
  });
});

describe('lists', () => {
  it('take filters of every kind', async () => {
    const tokens = async (where: string) => {
      const { srrs } = await ask(`{ srrs(where: ${where}) { metadataDigest } }`);
      return srrs.map((srr: { metadataDigest: string }) => srr.metadataDigest.replace('bafkrei', '')).sort();
    };
    expect(await tokens('{}')).toEqual(['a2', 'b', 'c', 'd']);
    expect(await tokens(`{ tokenId_in: ["${tokenId(cid('b'), artist)}", "1"] }`)).toEqual(['b']);
    expect(await tokens(`{ id_in: ["${idOf('b')}", "${idOf('c', collection)}"] }`)).toEqual(['b', 'c']);
    expect(await tokens('{ id_in: [] }')).toEqual([]);
    expect(await tokens(`{ ownerAddress: "${buyers[1]}" }`)).toEqual(['b']);
    expect(await tokens(`{ ownerAddress_not_in: ["${buyers[1]}", "${issuer}"] }`)).toEqual(['a2']);
    expect(await tokens('{ collection: null }')).toEqual(['a2', 'b']);
    expect(await tokens('{ collection_not: null }')).toEqual(['c', 'd']);
    expect(await tokens('{ collection_: { name_starts_with: "Still" } }')).toEqual(['c', 'd']);
    expect(await tokens('{ artist_: { englishName_contains_nocase: "VERMEER" }, collection: null }')).toEqual(
      ['a2', 'b'],
    );
    expect(await tokens(`{ provenance_: { to: "${buyers[1]}" } }`)).toEqual(['b']);
    expect(await tokens('{ royaltyBasisPoints_gte: 1570 }')).toEqual(['b']);
    expect(await tokens('{ metadataDigest_not_ends_with: "2", metadataDigest_not_contains: "%" }')).toEqual([
      'b',
      'c',
      'd',
    ]);
    expect(await tokens('{ lockExternalTransfer_not: false }')).toEqual(['c']);
    expect(await tokens('{ createdAt_gt: "0", createdAt_lt: 99999999999999 }')).toHaveLength(4);
    expect(await tokens(`{ or: [{ metadataDigest: "${cid('c')}" }, { royaltyBasisPoints_gt: 1 }] }`)).toEqual(
      ['b', 'c'],
    );
    expect(
      await tokens(
        `{ and: [{ collection: null }, { ownerAddress_contains: "${buyers[1]?.slice(4, 10)}" }] }`,
      ),
    ).toEqual(['b']);
    const { licensedUserWallets: wallets } = await ask(
      `{ licensedUserWallets(where: { owners_contains: ["${chain.accounts.owners[2]?.address}"] }) { englishName } }`,
    );
    expect(wallets).toEqual([{ englishName: 'North Gallery' }]);
  });

  it('take an order, with nested keys and ties broken by id', async () => {
    const ids = async (order: string) => {
      const { srrs } = await ask(`{ srrs(${order}) { id tokenId } }`);
      return srrs.map((srr: { id: string }) => srr.id);
    };
    const byId = await ids('first: 10');
    expect(byId).toEqual([...byId].sort());
    expect(await ids('orderBy: id, orderDirection: desc')).toEqual([...byId].reverse());
    const bySymbol = await ids('orderBy: collection__symbol, where: { collection_not: null }');
    expect(bySymbol).toEqual([...bySymbol].sort());
    expect(await ids('orderBy: tokenId, first: 2, skip: 1')).toEqual(
      (await ids('orderBy: tokenId')).slice(1, 3),
    );
  });

  // Where the statements can be counted; the SQL is the same on a server.
  it.skipIf(process.env.TEST_DATABASE_URL)(
    'cost one statement for each level and kind, however many rows',
    async () => {
      if (database.kind !== 'pglite') throw new Error('without a server the database is embedded');
      const statements = vi.spyOn(database.lite, 'query');
      const count = async (query: string) => {
        const before = statements.mock.calls.length;
        await ask(query);
        return statements.mock.calls.length - before;
      };
      expect(await count('{ srrs { id } }')).toBe(1);
      expect(
        await count(
          '{ srrs { issuer { id issuedSRRs { collection { name } } } artist { id } provenance { id } } }',
        ),
      ).toBe(5);
      statements.mockRestore();
    },
  );

  it('nest with their own page and order', async () => {
    const { licensedUserWallets: wallets } = await ask(`{ licensedUserWallets(orderBy: englishName) {
      englishName issuedSRRs(first: 2, skip: 1, orderBy: tokenId, orderDirection: desc) { tokenId collection { symbol } }
    } }`);
    const { srrs } = await ask(
      '{ srrs(orderBy: tokenId, orderDirection: desc) { tokenId collection { symbol } } }',
    );
    expect(wallets).toEqual([
      { englishName: 'Ada Vermeer', issuedSRRs: [] },
      { englishName: 'North Gallery', issuedSRRs: srrs.slice(1, 3) },
    ]);
  });
});

describe('queries are refused in the words of a live index', () => {
  it('for pages out of range', async () => {
    expect(await refusal('{ srrs(first: 1001) { id } }')).toBe(
      'The `first` argument must be between 0 and 1000, but is 1001',
    );
    expect(await refusal('{ collections { srrs(skip: 6000) { id } } }')).toBe(
      'The `skip` argument must be between 0 and 5000, but is 6000',
    );
  });

  it('for blocks that are not there', async () => {
    const head = subgraph.head()?.number;
    const late = `\`subgraph ${subgraph.deployment} has only indexed up to block number ${head} and data for block number 9999 is therefore not yet available\``;
    expect(await refusal('{ srrs(block: { number: 9999 }) { id } }')).toBe(
      `Failed to decode \`block.number\` value: ${late}`,
    );
    expect(await refusal('{ srrs(block: { number_gte: 9999 }) { id } }')).toBe(
      `Failed to decode \`block.number_gte\` value: ${late}`,
    );
    expect(await refusal(`{ srrs(block: { hash: "${salt('no block')}" }) { id } }`)).toBe(
      'Failed to decode `block.hash` value: `no block with that hash found`',
    );
    expect(await refusal('{ srrs(block: { number: 0 }) { id } }')).toMatch(
      /only has data starting at block number 1 /,
    );
  });

  it('for filters and orders that it does not know', async () => {
    expect(await refusal('{ srrs(where: { tokenId: "1", or: [{ tokenId: "2" }] }) { id } }')).toMatch(
      /^Cannot mix column filters with 'or' operator at the same level\. Found column filter\(s\) 'tokenId' alongside/,
    );
    expect(await refusal('{ srrs(orderBy: provenance) { id } }')).toBe(
      'Ordering by `provenance` is not supported for type `SRR`',
    );
    expect(await refusal('{ srrs(where: { ownerAddress: "0x1" }) { id } }')).toMatch(/Odd number of digits/);
    expect(await refusal('{ srrs { nonsense } }')).toMatch(/Cannot query field "nonsense"/);
    expect(await refusal('{ srrs {')).toMatch(/Syntax Error/);
    const nested = '{ srrs(where: { collection_: { srrs_: { tokenId: "1" } } }) { id } }';
    expect(await refusal(nested)).toMatch(/^Child filter nesting not supported by value `collection`/);
  });

  it('for input that no statement or stack can hold', async () => {
    expect(await refusal('{ srrs(where: { tokenId: "\\u0000" }) { id } }')).toMatch(/^Store error/);
    const deep = Array.from({ length: 20_000 }).reduce<object>((inner) => ({ and: [inner] }), {});
    const query = 'query ($where: SRR_filter) { srrs(where: $where) { id } }';
    const answer = await subgraph.query({ query, variables: { where: deep } });
    expect(answer.errors).toHaveLength(1);
    const ids = Array.from({ length: 70_000 }, (_, index) => String(index));
    expect(await ask(query, { where: { id_in: [...ids, idOf('b')] } })).toEqual({
      srrs: [{ id: idOf('b') }],
    });
  });
});

describe('the state of the index', () => {
  it('is told by _meta, without the hash when it was asked for by number', async () => {
    const head = await chain.client.getBlock();
    const block = 'block { number hash timestamp parentHash }';
    const { _meta } = await ask(`{ _meta { deployment hasIndexingErrors ${block} } }`);
    expect(_meta).toEqual({
      deployment: subgraph.deployment,
      hasIndexingErrors: false,
      block: {
        number: Number(head.number),
        hash: head.hash,
        timestamp: Number(head.timestamp),
        parentHash: head.parentHash,
      },
    });
    expect(subgraph.deployment).toMatch(/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/);
    const byNumber = await ask(`{ _meta(block: { number: 2 }) { ${block} } }`);
    expect(byNumber._meta.block).toEqual({ number: 2, hash: null, timestamp: null, parentHash: null });
    const byHash = await ask(`{ _meta(block: { hash: "${head.hash}" }) { ${block} } }`);
    expect(byHash._meta.block.number).toBe(Number(head.number));
  });

  it('lets data through beside an error only when the query allows it', async () => {
    subgraph.setFaults({ hasIndexingErrors: true });
    const errors = [{ message: 'indexing_error' }];
    expect(await subgraph.query({ query: '{ collections { name } }' })).toEqual({ errors });
    expect(await subgraph.query({ query: '{ collections(subgraphError: allow) { name } }' })).toEqual({
      data: { collections: [{ name: 'Still Lifes' }] },
      errors,
    });
    expect(await subgraph.query({ query: '{ _meta { hasIndexingErrors } collections { name } }' })).toEqual({
      data: { _meta: { hasIndexingErrors: true } },
      errors,
    });
    subgraph.setFaults({ hasIndexingErrors: false });
  });

  it('lags when it is told to', async () => {
    subgraph.setFaults({ lag: { blocks: 2, ms: 0 } });
    const before = subgraph.head()?.number ?? 0;
    await transfer(1, buyers[0] as Address, tokenId(cid('b'), artist));
    await transfer(0, buyers[1] as Address, tokenId(cid('b'), artist));
    await transfer(1, buyers[0] as Address, tokenId(cid('b'), artist));
    await expect.poll(() => subgraph.head()?.number).toBe(before + 1);
    subgraph.setFaults({ lag: { blocks: 0, ms: 0 } });
    await caughtUp();
    expect(subgraph.head()?.number).toBe(before + 3);
  });
});

describe('after a reorganisation', () => {
  it('shows what the chain has now', async () => {
    const query = 'query ($id: ID!) { srr(id: $id) { ownerAddress } }';
    await transfer(0, buyers[2] as Address, tokenId(cid('b'), artist));
    await caughtUp();
    expect((await ask(query, { id: idOf('b') })).srr.ownerAddress).toBe(buyers[2]?.toLowerCase());
    const orphaned = subgraph.head();
    await chain.client.request<{ Method: 'anvil_reorg'; Parameters: [number, never[]]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [1, []],
    });
    await expect.poll(() => subgraph.head()?.hash, { timeout: 10_000 }).not.toBe(orphaned?.hash);
    await caughtUp();
    const hash = (await chain.client.getBlock()).hash;
    expect(subgraph.head()?.hash).toBe(hash);
    expect((await ask(query, { id: idOf('b') })).srr.ownerAddress).toBe(buyers[0]?.toLowerCase());
    expect(await refusal(`{ srrs(block: { hash: "${orphaned?.hash}" }) { id } }`)).toMatch(
      /no block with that hash/,
    );
  });
});

describe('a restart', () => {
  it('of chain and index together finds both as they were', async () => {
    const { number, hash } = await chain.client.getBlock();
    await subgraph.stop();
    await chain.stop();
    chain = await startChain({ stateDir, port: 0, miningIntervalMs: 30, log });
    const { deployment } = subgraph;
    const rewinds = vi.fn();
    subgraph = await startSubgraph({
      database,
      chain,
      log: { ...log, info: rewinds } as unknown as typeof log,
    });
    expect(subgraph.deployment).toBe(deployment);
    await transfer(0, buyers[1] as Address, tokenId(cid('b'), artist));
    await caughtUp();
    const { srrs } = await ask(`{ srrs(block: { hash: "${hash}" }, where: { collection: null }) { id } }`);
    expect(srrs).toHaveLength(2);
    expect(subgraph.head()?.number).toBe(Number(number) + 1);
    expect(rewinds).not.toHaveBeenCalled();
  });

  it('goes on where the index stopped', async () => {
    const { head, deployment } = { head: subgraph.head(), deployment: subgraph.deployment };
    await subgraph.stop();
    await chain.issue({
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('later'),
      collection,
    });
    subgraph = await startSubgraph({ database, chain, log });
    expect(subgraph.deployment).toBe(deployment);
    expect(subgraph.head()?.number).toBeGreaterThanOrEqual(head?.number ?? Number.NaN);
    await caughtUp();
    const { srr } = await ask('query ($id: ID!) { srr(id: $id) { collection { name } } }', {
      id: idOf('later', collection),
    });
    expect(srr).toEqual({ collection: { name: 'Still Lifes' } });
  });
});
