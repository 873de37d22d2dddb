import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@srr-gateway/common/log';
import {
  type Address,
  createWalletClient,
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  parseEther,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { receiptOf } from '../../testing/receipt.ts';
import { collectionAbi, licensedUserWalletAbi, registryAbi } from './artifacts/abis.ts';
import { type Chain, startChain } from './chain.ts';
import type { TxOutcome } from './sender.ts';
import { tokenId } from './token-id.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const stateDir = mkdtempSync(join(tmpdir(), 'chain-'));
const salt = (text: string): Hex => keccak256(toHex(text));
// Another in each run of a test: its retry finds the records of the first run.
let run = 0;
const cid = (name: string) => `bafkrei${name}${run}`;

let chain: Chain;
let issuer: Address;
let artist: Address;
let buyer: Address;

beforeAll(async () => {
  chain = await startChain({ stateDir, port: 0, miningIntervalMs: 50, log });
  buyer = chain.accounts.buyers[0]!.address;
  const owners = chain.accounts.owners.map((owner) => owner.address);
  [issuer, artist] = await Promise.all([
    chain.registerLicensedUser({
      englishName: 'North Gallery',
      originalName: '北画廊',
      userType: 'handler',
      owners,
      threshold: 2,
      salt: salt('gallery'),
    }),
    chain.registerLicensedUser({
      englishName: 'Ada Vermeer',
      originalName: 'Ada Vermeer',
      userType: 'artist',
      owners: owners.slice(0, 1),
      threshold: 1,
      salt: salt('artist'),
    }),
  ]);
});
afterAll(async () => {
  await chain.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

beforeEach(() => void run++);

function wallet(privateKey: Hex) {
  const account = privateKeyToAccount(privateKey);
  return createWalletClient({ account, chain: foundry, transport: http(chain.rpcUrl) });
}

/** Issues a record and returns its token id. */
async function issue(name: string, more: Partial<Parameters<Chain['issue']>[0]> = {}): Promise<bigint> {
  const outcome = await chain.issue({
    issuer,
    artist,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    metadataCID: cid(name),
    ...more,
  });
  expect(outcome).toMatchObject({ status: 'mined' });
  return BigInt(tokenId(more.metadataCID ?? cid(name), more.artist ?? artist));
}

const ownerOf = (token: bigint, address = chain.registryAddress) =>
  chain.client.readContract({ address, abi: registryAbi, functionName: 'ownerOf', args: [token] });

function failure(outcome: TxOutcome): string {
  expect(outcome.status).toBe('failed');
  return outcome.status === 'failed' ? outcome.reason : '';
}

describe('licensed users', () => {
  it('are registered once by their salt', async () => {
    const user = {
      englishName: 'North Gallery',
      originalName: '北画廊',
      userType: 'handler' as const,
      owners: [],
      threshold: 1,
      salt: salt('gallery'),
    };
    await expect(chain.registerLicensedUser(user)).resolves.toBe(issuer);
    await expect(chain.registerLicensedUser({ ...user, salt: salt('nobody') })).rejects.toThrow(
      /InvalidOwners/,
    );
  });

  it('act when the threshold of owners agrees', async () => {
    const token = await issue('act');
    const move = encodeFunctionData({
      abi: registryAbi,
      functionName: 'transferFrom',
      args: [issuer, buyer, token],
    });
    const agree = async (index: number) => {
      const hash = await wallet(chain.accounts.owners[index]!.privateKey).writeContract({
        address: issuer,
        abi: licensedUserWalletAbi,
        functionName: 'execute',
        args: [chain.registryAddress, move],
      });
      await receiptOf(chain.client, hash);
    };
    await agree(0);
    await expect(ownerOf(token)).resolves.toBe(issuer);
    await agree(1);
    await expect(ownerOf(token)).resolves.toBe(buyer);
  });
});

describe('an issued record', () => {
  it('has the requested token id, URI and royalty', async () => {
    const token = await issue('plain', { royalty: { receiver: artist, basisPoints: 1570 } });
    const read = { address: chain.registryAddress, abi: registryAbi } as const;
    await expect(ownerOf(token)).resolves.toBe(issuer);
    await expect(
      chain.client.readContract({ ...read, functionName: 'tokenURI', args: [token] }),
    ).resolves.toBe(`ipfs://${cid('plain')}`);
    await expect(
      chain.client.readContract({ ...read, functionName: 'royaltyInfo', args: [token, 10_000n] }),
    ).resolves.toEqual([artist, 1570n]);
    await expect(chain.issued(chain.registryAddress, token.toString())).resolves.toBe(true);
    await expect(chain.issued(chain.registryAddress, '7')).resolves.toBe(false);
  });

  it('goes to its buyer after mint, creation and royalty', async () => {
    const outcome = await chain.issue({
      issuer,
      artist,
      isPrimaryIssuer: false,
      lockExternalTransfer: true,
      metadataCID: cid('buyer'),
      to: buyer,
      royalty: { receiver: issuer, basisPoints: 10_000 },
    });
    if (outcome.status !== 'mined') throw new Error(outcome.reason);
    const { logs } = await chain.client.getTransactionReceipt({ hash: outcome.txHash });
    const events = logs.map((entry) => decodeEventLog({ abi: registryAbi, ...entry }));
    expect(events.map((event) => event.eventName)).toEqual([
      'Transfer',
      'RecordCreated',
      'RoyaltySet',
      'Transfer',
    ]);
    expect(events[3]?.args).toMatchObject({ from: issuer, to: buyer });
    await expect(ownerOf(BigInt(tokenId(cid('buyer'), artist)))).resolves.toBe(buyer);
  });

  it('in the form from before 2023 has the digest of its metadata in its token URI', async () => {
    const digest = salt(cid('old'));
    const token = await issue('old', { metadataCID: digest });
    await chain.write({
      address: chain.registryAddress,
      abi: registryAbi,
      functionName: 'setMetadataURIPrefix',
      args: ['http://localhost/api/v1/metadata/'],
    });
    await expect(
      chain.client.readContract({
        address: chain.registryAddress,
        abi: registryAbi,
        functionName: 'tokenURI',
        args: [token],
      }),
    ).resolves.toBe(`http://localhost/api/v1/metadata/${digest}.json`);
  });

  it('can be transferred by any ERC-721 client, unless it is locked', async () => {
    const free = await issue('free', { to: buyer });
    const locked = await issue('locked', { to: buyer, lockExternalTransfer: true });
    const other = chain.accounts.buyers[1]!.address;
    const client = wallet(chain.accounts.buyers[0]!.privateKey);
    const move = (token: bigint) =>
      client.writeContract({
        address: chain.registryAddress,
        abi: registryAbi,
        functionName: 'safeTransferFrom',
        args: [buyer, other, token],
      });
    await receiptOf(chain.client, await move(free));
    await expect(ownerOf(free)).resolves.toBe(other);
    await expect(move(locked)).rejects.toThrow(/ExternalTransferLocked/);
    await expect(ownerOf(locked)).resolves.toBe(buyer);
  });

  it('can be reserved, and goes to whoever reveals the value of the commitment', async () => {
    const token = await issue('promise', { lockExternalTransfer: true });
    const secret = salt('secret');
    const registry = { address: chain.registryAddress, abi: registryAbi };
    await chain.write({
      ...registry,
      functionName: 'reserveTransfer',
      args: [token, keccak256(secret), cid('sale'), 0n],
    });
    const reveal = (value: Hex) =>
      chain.write({ ...registry, functionName: 'transferByReveal', args: [buyer, token, value, false] });
    expect(failure(await reveal(salt('wrong')))).toBe(`WrongReveal(${token})`);
    expect(await reveal(secret)).toMatchObject({ status: 'mined' });
    await expect(ownerOf(token)).resolves.toBe(buyer);
    expect(failure(await reveal(secret))).toBe(`NoReservation(${token})`);
  });
});

describe('issuing is refused', () => {
  it('a second time, for an unknown issuer, and to anybody but the operator', async () => {
    const token = await issue('once');
    const again = {
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('once'),
    };
    expect(failure(await chain.issue(again))).toMatch(/^ERC721InvalidSender/);
    expect(failure(await chain.issue({ ...again, issuer: buyer, metadataCID: cid('x') }))).toBe(
      `UnknownIssuer(${buyer})`,
    );
    await expect(
      wallet(chain.accounts.buyers[0]!.privateKey).writeContract({
        address: chain.registryAddress,
        abi: registryAbi,
        functionName: 'setRoyalty',
        args: [token, buyer, 10_000n],
      }),
    ).rejects.toThrow(/NotOperator/);
  });
});

describe('a collection', () => {
  it('has its predicted address, accepts records of its owner only, and can be transferred', async () => {
    const id = salt(cid('collection'));
    const address = chain.predictCollection(id);
    const create = () =>
      chain.createCollection({ owner: issuer, name: 'Still Lifes', symbol: 'STL', salt: id });
    expect(await create()).toMatchObject({ status: 'mined' });
    expect(failure(await create())).toBe('FailedDeployment()');

    const token = await issue('in collection', { collection: address });
    await expect(ownerOf(token, address)).resolves.toBe(issuer);
    const collection = { address, abi: collectionAbi } as const;
    await expect(chain.client.readContract({ ...collection, functionName: 'name' })).resolves.toBe(
      'Still Lifes',
    );

    await chain.write({ ...collection, functionName: 'transferOwnership', args: [artist] });
    const outcome = await chain.issue({
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('too late'),
      collection: address,
    });
    expect(failure(outcome)).toBe(`IssuerNotOwner(${issuer}, ${artist})`);
  });
});

describe('many at once', () => {
  it('are mined in a few blocks, in any mix with other wallets', async () => {
    const payment = wallet(chain.accounts.buyers[2]!.privateKey).sendTransaction({
      to: buyer,
      value: parseEther('1'),
    });
    const issues = Array.from({ length: 250 }, (_, index) => ({
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid(`many${index}`),
    }));
    const outcomes = await Promise.all(issues.map((one) => chain.issue(one)));
    const blocks = new Set(
      outcomes.map((outcome) => (outcome.status === 'mined' ? outcome.blockNumber : -1)),
    );
    expect(blocks).not.toContain(-1);
    expect(blocks.size).toBeLessThan(50);
    const { status } = await receiptOf(chain.client, await payment);
    expect(status).toBe('success');
    const block = await chain.client.getBlock();
    expect(Number(block.timestamp) - Date.now() / 1000).toBeLessThanOrEqual(31);
  });
});

describe('a failing send', () => {
  it('that was mined nevertheless has a hash and the revert reason', async () => {
    const record = {
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('race'),
    };
    // Both are sent before either is mined.
    chain.setMiningInterval(60_000);
    onTestFinished(() => chain.setMiningInterval(50));
    // A running round would mine the first of them.
    await chain.mine();
    const sent = Promise.all([chain.issue(record), chain.issue(record)]);
    await expect
      .poll(async () => (await chain.client.getBlock({ blockTag: 'pending' })).transactions.length)
      .toBe(2);
    chain.setMiningInterval(50);
    const outcomes = await sent;
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['failed', 'mined']);
    const lost = outcomes.find((outcome) => outcome.status === 'failed');
    expect(failure(lost!)).toMatch(/^ERC721InvalidSender/);
    expect(lost?.txHash).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('is repeated at a higher price when the base fee has risen', async () => {
    await chain.client.request<{
      Method: 'anvil_setNextBlockBaseFeePerGas';
      Parameters: [Hex];
      ReturnType: null;
    }>({
      method: 'anvil_setNextBlockBaseFeePerGas',
      params: [toHex(50_000_000_000n)],
    });
    await issue('dear');
  });

  it('is repeated when another sender took the nonce', async () => {
    const operator = wallet(chain.accounts.operator.privateKey);
    await operator.sendTransaction({ to: buyer, value: 1n });
    await issue('after another sender');
  });

  it('reports that the account is out of funds, and succeeds once it is funded', async () => {
    const { address } = chain.accounts.operator;
    const setBalance = (wei: bigint) =>
      chain.client.request<{ Method: 'anvil_setBalance'; Parameters: [Address, Hex]; ReturnType: null }>({
        method: 'anvil_setBalance',
        params: [address, toHex(wei)],
      });
    await setBalance(0n);
    const poor = {
      issuer,
      artist,
      isPrimaryIssuer: true,
      lockExternalTransfer: false,
      metadataCID: cid('poor'),
    };
    expect(failure(await chain.issue(poor))).toBe('account out of funds');
    const pending = chain.issue(poor);
    await setBalance(parseEther('1000'));
    expect(await pending).toMatchObject({ status: 'mined' });
  });
});
