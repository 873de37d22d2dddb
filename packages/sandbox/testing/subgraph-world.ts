import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import { silent as log, testDatabase } from '@srr-gateway/common/testing/database';
import fastify from 'fastify';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { type Address, createWalletClient, type Hex, http, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { registryAbi } from '../src/chain/artifacts/abis.ts';
import { type Chain, startChain } from '../src/chain/chain.ts';
import { tokenId } from '../src/chain/token-id.ts';
import { enforceZodSchemas } from '../src/http/zod.ts';
import { srrId } from '../src/subgraph/mapping/ids.ts';
import { subgraphMigrations } from '../src/subgraph/migrations.ts';
import { subgraphRoutes } from '../src/subgraph/routes.ts';
import { type Subgraph, startSubgraph } from '../src/subgraph/subgraph.ts';
import { receiptOf } from './receipt.ts';

// Shared by the tests of the subgraph: a chain with a few records, and a subgraph of it. Each test file has
// its own. The exported variables change at a restart; change them only through `restart`.

const stateDir = mkdtempSync(join(tmpdir(), 'subgraph-'));
export const salt = (text: string): Hex => keccak256(toHex(text));
export const cid = (name: string) => `bafkrei${name}`;

export let database: Database;
let dropDatabase: () => Promise<void>;
export let chain: Chain;
export let subgraph: Subgraph;
export let issuer: Address;
export let artist: Address;
export let collection: Address;
export let buyers: Address[];

/** Starts the chain and the subgraph before a file's tests, and stops them afterwards. */
export function useWorld(): void {
  beforeAll(build);
  afterAll(async () => {
    await subgraph.stop();
    await chain.stop();
    await dropDatabase();
    rmSync(stateDir, { recursive: true, force: true });
  });
}

async function build(): Promise<void> {
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
}

/**
 * Restarts the subgraph, and the chain if asked, on their state; `meanwhile` runs while the subgraph is down.
 */
export async function restart(options: {
  chain: boolean;
  meanwhile?: () => Promise<unknown>;
  log?: Logger;
}): Promise<void> {
  await subgraph.stop();
  await options.meanwhile?.();
  if (options.chain) {
    await chain.stop();
    chain = await startChain({ stateDir, port: 0, miningIntervalMs: 30, log });
  }
  subgraph = await startSubgraph({ database, chain, log: options.log ?? log });
}

/** Waits until the subgraph has indexed the chain's head. */
export async function caughtUp(): Promise<void> {
  const height = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  await vi.waitFor(() => expect(subgraph.head()?.number).toBe(height), { timeout: 10_000 });
}

/** Runs a query that must succeed and returns its data. */
// biome-ignore lint/suspicious/noExplicitAny: answers have the shape of the query beside them
export async function ask(query: string, variables?: Record<string, unknown>): Promise<any> {
  const { data, errors } = await subgraph.query({ query, variables });
  expect(errors).toBeUndefined();
  return data;
}

/** Runs a query that must fail and returns its first error. */
export async function refusal(query: string): Promise<string> {
  const answer = await subgraph.query({ query });
  expect(answer.data).toBeUndefined();
  return answer.errors?.[0]?.message ?? '';
}

/** The id of the record whose metadata is `cid(name)`. */
export const idOf = (name: string, contract = chain.registryAddress, by = artist) =>
  srrId(contract, BigInt(tokenId(cid(name), by)));

/** Makes a plain ERC-721 transfer by one of the buyers and waits until it is mined. */
export async function transfer(from: number, to: Address, token: string): Promise<void> {
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
  await receiptOf(chain.client, hash);
}

export { tokenId } from '../src/chain/token-id.ts';

/** Serves the subgraph over HTTP on a free port; `onQuery` is called at each request. */
export async function serveIndex(onQuery: () => void): Promise<{ url: string; close(): Promise<void> }> {
  const app = fastify();
  enforceZodSchemas(app);
  app.addHook('onRequest', async () => onQuery());
  await app.register(subgraphRoutes, { subgraph });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: `${origin}/subgraph`, close: () => app.close() };
}
