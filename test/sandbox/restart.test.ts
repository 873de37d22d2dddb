import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seeded } from '../../src/sandbox/control/seeded.ts';
import type { SandboxInfo } from '../../src/sandbox/start.ts';
import { ownerOf, rpc, TestIssuer } from '../_util/issuer.ts';
import { startTestSandbox, type TestSandbox } from '../_util/sandbox.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../_util/webhook-receiver.ts';

/** The moments of the kills follow from it: a run that failed is repeated with the seed that it printed. */
const seed = process.env.KILL_SEED ?? `${Date.now()}`;
const kills = 12;
const issuances = 20;

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
});
afterAll(() => receiver?.stop());

const outcomes = () => receiver.entries('issue_complete').map((entry) => entry.externalId);

describe('a sandbox that is stopped and started', () => {
  let test: TestSandbox;
  beforeAll(async () => {
    test = await startTestSandbox({
      settings: { hashDelayMs: 300, miningIntervalMs: 500 },
      webhooks: [{ url: receiver.url, key: 'k' }],
    });
  });
  afterAll(() => test?.stop());

  it('carries on hashing, minting and telling', async () => {
    const issuer = new TestIssuer(test.sandbox.info);
    await issuer.upload('restart.png', 'non_attachment_file', 'picture');
    await test.restart();
    const ready = await vi.waitUntil(
      async () => {
        const payload = [{ filename: 'restart.png', category: 'non_attachment_file' }];
        const { body } = await issuer.post('fileMetadata', { payload });
        return body.results[0].hash !== undefined;
      },
      { timeout: 10_000 },
    );
    expect(ready).toBe(true);
    const { finalUrl } = await issuer.sign('restart.png', 'non_attachment_file', 'read');
    const collection = await issuer.post('collection', { payload: { name: 'Tides', symbol: 'TIDE' } });
    const payload = Array.from({ length: 30 }, () => issuer.entry(finalUrl));
    const { body } = await issuer.post('srrs', { payload });
    await test.restart();
    await expect
      .poll(() => new Set(outcomes()), { timeout: 20_000 })
      .toEqual(new Set(payload.map((entry) => entry.externalId)));
    await expect
      .poll(() => receiver.entries('collection_created').map((entry) => entry.collectionAddress))
      .toContain(collection.body.result.collectionAddress);
    const { info } = test.sandbox;
    for (const { srr } of body.results)
      expect(await ownerOf(info, info.registryAddress, srr.tokenId)).toBe(issuer.address.toLowerCase());
  });
});

describe('a sandbox that is killed', () => {
  let dataDir: string;
  let port: number;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'srr-sandbox-'));
    port = await freePort();
  });
  afterAll(async () => {
    child?.kill('SIGTERM');
    if (child && child.exitCode === null) await once(child, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<SandboxInfo> {
    child = spawn(process.execPath, ['src/sandbox/main.ts'], {
      stdio: 'ignore',
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        LOG_LEVEL: 'silent',
        SANDBOX_PORT: `${port}`,
        SANDBOX_RPC_PORT: '0',
        SANDBOX_HASH_DELAY_MS: '0',
        SANDBOX_MINING_INTERVAL_MS: '200',
        SANDBOX_WEBHOOK_URL: receiver.url,
        SANDBOX_WEBHOOK_KEY: 'k',
      },
    });
    return vi.waitUntil(
      async () => {
        const response = await fetch(`http://127.0.0.1:${port}/sandbox`).catch(() => undefined);
        return response?.ok ? ((await response.json()) as SandboxInfo) : undefined;
      },
      { timeout: 30_000 },
    );
  }

  async function kill(): Promise<void> {
    child?.kill('SIGKILL');
    if (child) await once(child, 'exit');
  }

  it('at any moment loses no accepted record, mints none twice, and tells of each', async () => {
    receiver.received.length = 0;
    const chance = (what: string, n: number, maxMs: number) =>
      Math.floor(seeded(`${seed} ${what}`, n) * maxMs);
    const issuer = new TestIssuer(await start());
    const { info } = issuer;
    const { finalUrl } = await issuer.uploadReady('killed.png', 'non_attachment_file', 'picture');
    console.info(`killing with KILL_SEED=${seed}`);
    let interrupted = 0;

    /** What a client does that never gives up: the same request again until it knows that it was accepted. */
    async function issue(payload: object[]): Promise<void> {
      for (;;) {
        const answer = await issuer.post('srrs', { payload }).catch(() => undefined);
        if (answer?.status === 201) return;
        if (answer === undefined) interrupted += 1;
        else if (/status successful$/.test(answer.body.message)) return;
        else expect(answer.body.message).toMatch(/status in_progress$/);
        await sleep(100);
      }
    }

    const accepted: string[] = [];
    let killing = true;
    const client = async () => {
      for (let n = 0; n < issuances; n++) {
        const payload = Array.from({ length: 1 + (n % 3) }, () => issuer.entry(finalUrl));
        await issue(payload);
        accepted.push(...payload.map(({ externalId }) => externalId as string));
        // The last ones come after the last kill only when the kills are over early.
        await sleep(chance('pause', n, killing ? 1_500 : 1));
      }
    };
    const killer = async () => {
      for (let n = 0; n < kills; n++) {
        await sleep(chance('life', n, 1_500));
        await kill();
        await start();
      }
      killing = false;
    };
    await Promise.all([client(), killer()]);
    console.info(`${kills} kills, ${interrupted} requests cut off, ${accepted.length} records`);
    await expect.poll(() => new Set(outcomes()), { timeout: 60_000 }).toEqual(new Set(accepted));
    expect(receiver.entries('issue_failed')).toEqual([]);
    const { rpcUrl } = (await (await fetch(`${info.commerceUrl}/sandbox`)).json()) as SandboxInfo;
    const tokens = new Map(
      receiver.entries('issue_complete').map((entry) => [entry.externalId, entry.tokenId]),
    );
    expect(tokens.size).toBe(accepted.length);
    for (const tokenId of tokens.values())
      expect(await ownerOf({ ...info, rpcUrl }, info.registryAddress, tokenId as string)).toBe(
        issuer.address.toLowerCase(),
      );
  }, 240_000);

  it('refuses a second process on its directory', async () => {
    const second = spawn(process.execPath, ['src/sandbox/main.ts'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DATA_DIR: dataDir, SANDBOX_PORT: '0', SANDBOX_RPC_PORT: '0' },
    });
    const said: Buffer[] = [];
    second.stderr.on('data', (chunk) => said.push(chunk));
    const [exitCode] = await once(second, 'exit');
    expect(exitCode).toBe(1);
    expect(Buffer.concat(said).toString()).toContain('is in use by another process');
  });

  it('ends its chain with it when it is asked to stop', async () => {
    const url = `http://127.0.0.1:${port}/sandbox`;
    const { rpcUrl } = (await (await fetch(url)).json()) as SandboxInfo;
    const blockNumber = () => rpc({ rpcUrl }, 'eth_blockNumber', []);
    expect(await blockNumber()).toMatch(/^0x/);
    child?.kill('SIGTERM');
    const [exitCode] = child ? await once(child, 'exit') : [];
    expect(exitCode).toBe(0);
    await expect(blockNumber()).rejects.toThrow();
  });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
