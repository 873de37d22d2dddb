import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@srr-gateway/common/log';
import { keccak256, toHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Chain, startChain } from './chain.ts';
import { endProcess, isAlive } from './process-control.ts';
import { tokenId } from './token-id.ts';

const log = createLogger({ level: 'silent', name: 'test' });
let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'chain-'));
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const start = (port = 0) => startChain({ stateDir, port, miningIntervalMs: 50, log });

const user = {
  englishName: 'North Gallery',
  originalName: 'North Gallery',
  userType: 'handler',
  threshold: 1,
  salt: keccak256(toHex('gallery')),
} as const;

const register = (chain: Chain) =>
  chain.registerLicensedUser({ ...user, owners: [chain.accounts.owners[0]!.address] });

async function issue(chain: Chain, metadataCID: string) {
  const issuer = await register(chain);
  const outcome = await chain.issue({
    issuer,
    artist: issuer,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    metadataCID,
  });
  if (outcome.status !== 'mined') throw new Error(outcome.reason);
  return { token: tokenId(metadataCID, issuer), txHash: outcome.txHash };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts a chain in a separate process that mines only on request, sends the registration of a licensed user,
 * and kills the process while the transaction is pending.
 */
async function startAndKill(): Promise<{ rpcUrl: string; pid: number }> {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const script = `
    import { startChain } from ${url('./chain.ts')};
    import { createLogger } from '@srr-gateway/common/log';
    const log = createLogger({ level: 'silent', name: 'test' });
    const stateDir = ${JSON.stringify(stateDir)};
    const chain = await startChain({ stateDir, port: 0, miningIntervalMs: 600_000, log });
    const user = ${JSON.stringify(user)};
    void chain.registerLicensedUser({ ...user, owners: [chain.accounts.owners[0].address] });
    const pending = async () => (await chain.client.getBlock({ blockTag: 'pending' })).transactions.length;
    while ((await pending()) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    console.log(chain.rpcUrl);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const rpcUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', () => reject(new Error('the child ended too early')));
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { pid } = JSON.parse(readFileSync(join(stateDir, 'anvil.json'), 'utf8')) as { pid: number };
  return { rpcUrl, pid };
}

describe('a chain that was stopped', () => {
  it('has its records, logs and outcomes after the next start', async () => {
    const first = await start();
    const { token, txHash } = await issue(first, 'bafkreia');
    const logs = await first.client.getLogs({ fromBlock: 0n });
    await first.stop();

    const second = await start();
    try {
      expect(second.registryAddress).toBe(first.registryAddress);
      expect(await second.issued(second.registryAddress, token)).toBe(true);
      expect(await second.client.getTransactionReceipt({ hash: txHash })).toMatchObject({
        status: 'success',
      });
      expect(await second.client.getLogs({ fromBlock: 0n })).toEqual(logs);
      await issue(second, 'bafkreib');
    } finally {
      await second.stop();
    }
  });

  it('restores the state of the last start when its state file was truncated', async () => {
    const first = await start();
    const { token } = await issue(first, 'bafkreia');
    await first.stop();
    await (await start()).stop();
    truncateSync(join(stateDir, 'state.json'), 1000);

    const third = await start();
    try {
      expect(await third.issued(third.registryAddress, token)).toBe(true);
    } finally {
      await third.stop();
    }
  });

  it('rejects pending calls, so that callers do not take a missing result for a failure', async () => {
    const chain = await startChain({ stateDir, port: 0, miningIntervalMs: 60_000, log });
    const waiting = expect(register(chain)).rejects.toThrow(/stopped before/);
    await expect
      .poll(async () => (await chain.client.getBlock({ blockTag: 'pending' })).transactions.length)
      .toBe(1);
    await chain.stop();
    await waiting;
  });
});

describe('a node that outlived its killed parent', () => {
  it('is adopted, and mines what was pending before anything else', async () => {
    const { rpcUrl, pid } = await startAndKill();
    expect(isAlive(pid)).toBe(true);
    const chain = await start();
    try {
      expect(chain.rpcUrl).toBe(rpcUrl);
      expect(await chain.client.getBlockNumber()).toBe(2n);
      const address = await register(chain);
      expect(await chain.client.getCode({ address })).toMatch(/^0x363d3d37/);
      expect(await chain.client.getBlockNumber({ cacheTime: 0 })).toBe(2n);
      await issue(chain, 'bafkreia');
    } finally {
      await chain.stop();
    }
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(stateDir, 'anvil.json'))).toBe(false);
  });

  it('is ended when the settings name another port, and its state is kept', async () => {
    const { pid } = await startAndKill();
    const port = await freePort();
    const chain = await start(port);
    try {
      expect(isAlive(pid)).toBe(false);
      expect(chain.rpcUrl).toBe(`http://127.0.0.1:${port}`);
      expect(await chain.client.getBlockNumber()).toBe(1n);
    } finally {
      await chain.stop();
    }
  });

  it('is never confused with another process that now has its process id', async () => {
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const { pid } = stranger;
    if (pid === undefined) throw new Error('no process');
    writeFileSync(join(stateDir, 'anvil.json'), JSON.stringify({ pid, port: 1 }));
    const chain = await start();
    try {
      expect(isAlive(pid)).toBe(true);
    } finally {
      await chain.stop();
      await endProcess(pid);
    }
  });
});
