import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLogger } from '@srr-gateway/common/log';
import { createTestClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { receiptOf } from '../../testing/receipt.ts';
import { chainId } from './anvil-command.ts';
import { type Chain, startChain } from './chain.ts';
import { Miner } from './miner.ts';
import { nodeClient, nodeRpc } from './node-client.ts';
import { Sender } from './sender.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const stateDir = mkdtempSync(join(tmpdir(), 'sender-'));
let chain: Chain;

beforeAll(async () => {
  chain = await startChain({ stateDir, port: 0, miningIntervalMs: 60_000, log });
});
afterAll(async () => {
  await chain?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

/** A proxy between sender and node that cuts the first call of `method`, before or after it is processed. */
async function breakingNode(method: string, when: 'before' | 'after'): Promise<string> {
  let broken = false;
  const server = createServer(async (req, res) => {
    const body = await text(req);
    const breaks = !broken && JSON.parse(body).method === method;
    broken ||= breaks;
    if (breaks && when === 'before') return res.destroy();
    const answer = await fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const answered = await answer.text();
    if (breaks) return res.destroy();
    res.end(answered);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a call is sent once', () => {
  it.each([
    ['eth_estimateGas', 'before'],
    ['eth_sendRawTransaction', 'before'],
    ['eth_sendRawTransaction', 'after'],
  ] as const)('when the answer to %s is lost %s it was done', async (method, when) => {
    const client = nodeClient(await breakingNode(method, when));
    const miner = new Miner(client, nodeRpc(client), 50, log);
    await miner.start();
    onTestFinished(() => miner.stop());
    const { address, privateKey } = chain.accounts.owners[0]!;
    const sender = new Sender(client, miner, privateKey);
    const before = await chain.client.getTransactionCount({ address });
    expect(await sender.send({ to: address, data: '0x' })).toMatchObject({ status: 'mined' });
    expect(await chain.client.getTransactionCount({ address })).toBe(before + 1);
  });
});

it('a fault whose block cannot be mined causes no unhandled rejection at the stop', async () => {
  // What is left pending would be mined first in a retry.
  onTestFinished(() => chain.mine());
  const client = nodeClient(await breakingNode('evm_mine', 'before'));
  const miner = new Miner(client, nodeRpc(client), 60_000, log);
  await miner.start();
  const { address, privateKey } = chain.accounts.owners[1]!;
  const sender = new Sender(client, miner, privateKey);
  sender.maxAttempts = 1;
  expect(await sender.send({ to: address, data: '0x' }, () => 'nonce')).toMatchObject({ status: 'failed' });
  // An unhandled rejection fails the run.
  await miner.stop();
});

it('transactions that stay queued although theirs are the next nonces are sent again', async () => {
  const account = privateKeyToAccount(chain.accounts.buyers[0]!.privateKey);
  const { address } = account;
  const client = nodeClient(chain.rpcUrl);
  const miner = new Miner(client, nodeRpc(client), 20, log);
  await miner.start();
  onTestFinished(() => miner.stop());
  const wallet = createWalletClient({ account, chain: foundry, transport: http(chain.rpcUrl) });
  const next = (await client.getTransactionCount({ address })) + 1;
  const first = await wallet.sendTransaction({ to: address, nonce: next });
  const second = await wallet.sendTransaction({ to: address, nonce: next + 1 });
  // Anvil does not look at its queue again when a nonce is set, so the two stay there.
  await createTestClient({ mode: 'anvil', chain: foundry, transport: http(chain.rpcUrl) }).setNonce({
    address,
    nonce: next,
  });
  for (const hash of [first, second]) expect((await receiptOf(client, hash)).status).toBe('success');
});

it('a transaction whose earlier nonce is missing is reported as lost, so that its sender can send it again', async () => {
  const { address, privateKey } = chain.accounts.owners[2]!;
  const client = nodeClient(chain.rpcUrl);
  const rpc = nodeRpc(client);
  const miner = new Miner(client, rpc, 20, log);
  await miner.start();
  onTestFinished(() => miner.stop());
  const serializedTransaction = await privateKeyToAccount(privateKey).signTransaction({
    to: address,
    // The transaction with the nonce before it never arrives.
    nonce: (await client.getTransactionCount({ address })) + 1,
    gas: 21_000n,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    chainId,
    type: 'eip1559',
  });
  expect(await miner.receipt(await client.sendRawTransaction({ serializedTransaction }))).toBeUndefined();
  expect(await rpc.pool()).toEqual({ pending: 0, queued: 0 });
});
