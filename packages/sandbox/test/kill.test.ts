import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '@srr-gateway/common/seeded';
import { freePorts } from '@srr-gateway/common/testing/free-ports';
import { toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerOf, rpc, TestIssuer } from '../testing/issuer.ts';
import { mintsOf } from '../testing/mints.ts';
import { PersistentClient, passingWallets } from '../testing/persistent-client.ts';
import { type SandboxProcess, sandboxProcess } from '../testing/sandbox-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../testing/webhook-receiver.ts';

/** Decides when the kills happen. Repeat a failed run with the seed that it printed. */
const seed = process.env.KILL_SEED ?? `${Date.now()}`;
const kills = 12;
/** Requests of each client during the kills. */
const requests = 20;

/** The field by which each kind of webhook names its request. */
const nameField = {
  issue_complete: 'externalId',
  issue_failed: 'externalId',
  collection_created: 'collectionAddress',
  collection_create_failed: 'name',
  transfer_key: 'txHash',
  transfer_complete: 'txHash',
} as const;
type Kind = keyof typeof nameField;
const kinds = Object.keys(nameField) as Kind[];

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver?.stop());

const chance = (what: string, n: number, maxMs: number) => Math.floor(seeded(`${seed} ${what}`, n) * maxMs);
const reportedNames = (kind: Kind) => new Set(receiver.entries(kind).map((entry) => entry[nameField[kind]]));
const nameOf = ({ externalId }: Record<string, unknown>) => String(externalId);
const tokenOf = ({ externalId }: Record<string, unknown>) =>
  String(receiver.entries('issue_complete').find((entry) => entry.externalId === externalId)?.tokenId);

describe('a sandbox that is killed', () => {
  let sandbox: SandboxProcess;

  beforeAll(async () => {
    sandbox = await sandboxProcess({
      LOG_LEVEL: 'silent',
      SANDBOX_HASH_DELAY_MS: '0',
      SANDBOX_MINING_INTERVAL_MS: '200',
      SANDBOX_WEBHOOK_URL: receiver.url,
      SANDBOX_WEBHOOK_KEY: 'k',
    });
  });
  afterAll(() => sandbox?.remove());

  it('at any moment loses no accepted request, mints no record twice, and reports each', async () => {
    const issuer = new TestIssuer(sandbox.info);
    const client = new PersistentClient(issuer);
    const { finalUrl } = await issuer.uploadReady('killed.png', 'non_attachment_file', 'picture');
    const [buyer = '', other = ''] = issuer.info.buyers.map(({ address }) => address);
    const first = [{}, {}, { to: buyer }].map((more) => issuer.entry(finalUrl, more));
    await client.issue(first);
    const salt = toHex('taken', { size: 32 });
    const taken = await client.createCollection(salt);
    await expect
      .poll(
        () => [
          reportedNames('collection_created').has(taken.collectionAddress),
          reportedNames('issue_complete').size,
        ],
        {
          timeout: 30_000,
        },
      )
      .toEqual([true, first.length]);
    const [reserved = '', transferred = '', passedOn = ''] = first.map(tokenOf);
    const passOn = passingWallets(issuer, passedOn);
    const issue = async (n: number, prefix = '') => {
      const payload = Array.from({ length: 1 + (n % 3) }, () =>
        issuer.entry(finalUrl, { externalId: `${prefix}${randomUUID()}` }),
      );
      await client.issue(payload);
      return payload.map(nameOf);
    };

    /** The accepted requests, by the names that the webhooks must report. */
    const answered: Record<Kind, string[]> = {
      issue_complete: first.map(nameOf),
      issue_failed: [],
      collection_created: [taken.collectionAddress],
      collection_create_failed: [],
      transfer_key: [],
      transfer_complete: [],
    };
    let killing = true;
    const ask = async (kind: Kind, pauses: string, request: (n: number) => Promise<string | string[]>) => {
      for (let n = 0; n < requests; n++) {
        answered[kind].push(...[await request(n)].flat());
        // The last requests come after the last kill only if the kills end early.
        await sleep(chance(pauses, n, killing ? 1_500 : 1));
      }
    };
    const killer = async () => {
      for (let n = 0; n < kills; n++) {
        await sleep(chance('life', n, 1_500));
        await sandbox.stop('SIGKILL');
        await sandbox.start();
      }
      killing = false;
    };
    console.info(`killing with KILL_SEED=${seed}`);
    const ends = await Promise.allSettled([
      killer(),
      ask('issue_complete', 'pause', issue),
      ask('issue_failed', 'failures', (n) => issue(n, 'fail-gas-over-allowance-')),
      ask(
        'collection_created',
        'collections',
        async () => (await client.createCollection()).collectionAddress,
      ),
      ask('collection_create_failed', 'salts', async () => (await client.createCollection(salt)).name),
      ask('transfer_key', 'reservations', () => client.reserve(reserved)),
      ask('transfer_complete', 'transfers', (n) => client.transfer(transferred, n % 2 === 0 ? buyer : other)),
      ask('transfer_complete', 'wallets', passOn),
    ]);
    // Wait for the killer too, or it would start the sandbox again after its directory is removed.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const counts = kinds.map((kind) => `${answered[kind].length} ${kind}`).join(', ');
    console.info(`${kills} kills, ${client.cutOff} requests cut off, answered: ${counts}`);

    const untold = () =>
      kinds.flatMap((kind) =>
        answered[kind].filter((name) => !reportedNames(kind).has(name)).map((name) => `${kind} ${name}`),
      );
    await expect.poll(untold, { timeout: 60_000 }).toEqual([]);
    for (const kind of ['issue_complete', 'issue_failed'] as const)
      expect(reportedNames(kind)).toEqual(new Set(answered[kind]));
    for (const { collectionAddress } of receiver.entries('collection_create_failed'))
      expect(collectionAddress).toBe(taken.collectionAddress);
    const tokens = answered.issue_complete.map((externalId) => tokenOf({ externalId }));
    expect(await mintsOf(sandbox.info.rpcUrl, tokens)).toEqual(tokens.map(() => 1));
    for (const tokenId of tokens.filter((token) => token !== transferred && token !== passedOn))
      expect(await ownerOf(sandbox.info, issuer.info.registryAddress, tokenId)).toBe(
        issuer.address.toLowerCase(),
      );
  }, 240_000);

  it('refuses a second process on its directory', async () => {
    const second = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DATA_DIR: sandbox.dataDir, SANDBOX_PORT: '0', SANDBOX_RPC_PORT: '0' },
    });
    const output: Buffer[] = [];
    second.stderr.on('data', (chunk) => output.push(chunk));
    const [exitCode] = await once(second, 'exit');
    expect(exitCode).toBe(1);
    expect(Buffer.concat(output).toString()).toContain('is in use by another process');
  });

  it('stops its chain on SIGTERM', async () => {
    const blockNumber = () => rpc(sandbox.info, 'eth_blockNumber', []);
    expect(await blockNumber()).toMatch(/^0x/);
    expect(await sandbox.stop('SIGTERM')).toBe(0);
    await expect(blockNumber()).rejects.toThrow();
  });
});

it('a sandbox that is killed, and whose directory is deleted, starts over without its old chain', async () => {
  const [rpcPort] = await freePorts(1);
  const sandbox = await sandboxProcess({ SANDBOX_RPC_PORT: String(rpcPort), SANDBOX_FIXTURES: 'off' });
  try {
    const blockNumber = async () => Number(await rpc(sandbox.info, 'eth_blockNumber', []));
    await rpc(sandbox.info, 'anvil_mine', [toHex(50)]);
    await sandbox.stop('SIGKILL');
    expect(await blockNumber()).toBeGreaterThan(50);
    await rm(sandbox.dataDir, { recursive: true });
    await sandbox.start();
    expect(await blockNumber()).toBeLessThan(50);
  } finally {
    await sandbox.remove();
  }
});
