import { randomBytes } from 'node:crypto';
import { silent as log } from '@srr-gateway/common/testing/database';
import { type Address, keccak256 } from 'viem';
import { describe, expect, it, vi } from 'vitest';
import {
  artist,
  ask,
  buyers,
  caughtUp,
  chain,
  cid,
  collection,
  idOf,
  issuer,
  refusal,
  restart,
  salt,
  subgraph,
  transfer,
  useWorld,
} from '../../testing/subgraph-world.ts';
import { customHistoriesAbi, registryAbi } from '../chain/artifacts/abis.ts';
import { tokenId } from '../chain/token-id.ts';
import { provenanceId } from './mapping/ids.ts';

useWorld();

let run = 0;
/** Issues another record at each call: a retry finds what the first run did to its own. */
async function newRecord(to?: Address): Promise<{ id: string; name: string; token: string }> {
  const name = `own${++run}`;
  const record = { issuer, artist, isPrimaryIssuer: true, lockExternalTransfer: false };
  await chain.issue({ ...record, metadataCID: cid(name), to });
  await caughtUp();
  return { id: idOf(name), name, token: tokenId(cid(name), artist) };
}

const longText = randomBytes(4_500).toString('base64');

describe('the subgraph', () => {
  it('returns a record with all related entities, in the formats of a live one', async () => {
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

  it('indexes collections, and artists without a licence only by their address', async () => {
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
    const { id, token } = await newRecord(buyers[0]);
    const before = subgraph.head()?.number;
    await transfer(0, buyers[1] as Address, token);
    await caughtUp();
    const query = `query ($id: ID!, $block: Block_height) {
      srr(id: $id, block: $block) { ownerAddress updatedAt provenance(orderBy: timestamp) { to } } }`;
    const now = await ask(query, { id });
    expect(now.srr).toMatchObject({
      ownerAddress: buyers[1]?.toLowerCase(),
      provenance: [{ to: buyers[0]?.toLowerCase() }, { to: buyers[1]?.toLowerCase() }],
    });
    const then = await ask(query, { id, block: { number: before } });
    expect(then.srr).toMatchObject({
      ownerAddress: buyers[0]?.toLowerCase(),
      provenance: [{ to: buyers[0]?.toLowerCase() }],
    });
    expect(Number(now.srr.updatedAt)).toBeGreaterThan(Number(then.srr.updatedAt));
  });

  it('keeps reservations, histories and changes of metadata', async () => {
    const record = await newRecord();
    const token = BigInt(record.token);
    const registry = { address: chain.registryAddress, abi: registryAbi };
    const histories = { address: chain.deployment.customHistories, abi: customHistoriesAbi };
    const count = (functionName: 'typeCount' | 'historyCount') =>
      chain.client.readContract({ ...histories, functionName });
    const type = (await count('typeCount')) + 1n;
    const history = (await count('historyCount')) + 1n;
    const reveal = salt('reveal');
    for (const call of [
      { ...histories, functionName: 'addType', args: ['auction'] },
      { ...histories, functionName: 'addHistory', args: [type, 'Spring sale', cid('sale')] },
      { ...histories, functionName: 'changeHistory', args: [history, 'Spring sale 2', cid('sale2')] },
      { ...histories, functionName: 'addRecord', args: [history, chain.registryAddress, token] },
      { ...registry, functionName: 'setMetadata', args: [token, cid('a2')] },
      {
        ...registry,
        functionName: 'reserveTransfer',
        args: [token, keccak256(reveal), cid('story'), history],
      },
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
    expect(await ask(query, { id: record.id })).toEqual({
      srr: {
        ownerAddress: issuer.toLowerCase(),
        metadataDigest: cid('a2'),
        transferCommitment: keccak256(reveal),
        metadataHistory: [{ metadataDigest: cid(record.name) }, { metadataDigest: cid('a2') }],
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
        customHistory: { id: String(history) },
      },
    });

    await chain.write({
      ...registry,
      functionName: 'transferByReveal',
      args: [buyers[2], token, reveal, true],
    });
    await caughtUp();
    expect(await ask(query, { id: record.id })).toMatchObject({
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
            customHistory: { id: String(history) },
          },
        ],
      },
      srrtransferCommit: { commitment: null, lastAction: 'transfer' },
    });
  });
});

// Owners of records can put any text on the chain.
it.each([
  ['NUL, which PostgreSQL cannot store and graph-node strips', 'a\0b', 'ab'],
  // Random, because PostgreSQL compresses the entries of an index.
  ['more bytes than an entry of an ordered index holds', longText, longText],
])('the subgraph goes on after a text with %s', async (_, text, stored) => {
  const outcome = await chain.write({
    address: chain.registryAddress,
    abi: registryAbi,
    functionName: 'setMetadata',
    args: [BigInt(tokenId(cid('b'), artist)), text],
  });
  expect(outcome.status).toBe('mined');
  await caughtUp();
  const { srrs } = await ask('query ($text: String) { srrs(where: { metadataDigest: $text }) { id } }', {
    text: stored,
  });
  expect(srrs).toEqual([{ id: idOf('b') }]);
});

describe('after a reorganisation', () => {
  it('shows the data of the new chain', async () => {
    const query = 'query ($id: ID!) { srr(id: $id) { ownerAddress } }';
    const { id, token } = await newRecord(buyers[0]);
    await transfer(0, buyers[2] as Address, token);
    await caughtUp();
    expect((await ask(query, { id })).srr.ownerAddress).toBe(buyers[2]?.toLowerCase());
    const orphaned = subgraph.head();
    await chain.client.request<{ Method: 'anvil_reorg'; Parameters: [number, never[]]; ReturnType: null }>({
      method: 'anvil_reorg',
      params: [1, []],
    });
    await expect.poll(() => subgraph.head()?.hash, { timeout: 10_000 }).not.toBe(orphaned?.hash);
    await caughtUp();
    const hash = (await chain.client.getBlock()).hash;
    expect(subgraph.head()?.hash).toBe(hash);
    expect((await ask(query, { id })).srr.ownerAddress).toBe(buyers[0]?.toLowerCase());
    expect(await refusal(`{ srrs(block: { hash: "${orphaned?.hash}" }) { id } }`)).toMatch(
      /no block with that hash/,
    );
  });
});

describe('a restart', () => {
  it('of chain and index together keeps the state of both', async () => {
    const { id, token } = await newRecord(buyers[0]);
    const { number, hash } = await chain.client.getBlock();
    const { deployment } = subgraph;
    const rewinds = vi.fn();
    await restart({ chain: true, log: { ...log, info: rewinds } as unknown as typeof log });
    expect(subgraph.deployment).toBe(deployment);
    await transfer(0, buyers[1] as Address, token);
    await caughtUp();
    const { srr } = await ask(`{ srr(block: { hash: "${hash}" }, id: "${id}") { ownerAddress } }`);
    expect(srr).toEqual({ ownerAddress: buyers[0]?.toLowerCase() });
    expect(subgraph.head()?.number).toBe(Number(number) + 1);
    expect(rewinds).not.toHaveBeenCalled();
  });

  it('resumes indexing where it stopped', async () => {
    const { head, deployment } = { head: subgraph.head(), deployment: subgraph.deployment };
    const late = {
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('later'),
      collection,
    };
    await restart({ chain: false, meanwhile: () => chain.issue(late) });
    expect(subgraph.deployment).toBe(deployment);
    expect(subgraph.head()?.number).toBeGreaterThanOrEqual(head?.number ?? Number.NaN);
    await caughtUp();
    const { srr } = await ask('query ($id: ID!) { srr(id: $id) { collection { name } } }', {
      id: idOf('later', collection),
    });
    expect(srr).toEqual({ collection: { name: 'Still Lifes' } });
  });
});
