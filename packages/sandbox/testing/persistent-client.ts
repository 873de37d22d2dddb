import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWalletClient, erc721Abi, http, keccak256, publicActions, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { expect } from 'vitest';
import type { Answer, TestIssuer } from './issuer.ts';
import { receiptOf } from './receipt.ts';

/** Pause between attempts: long enough not to flood a service that is just starting. */
const pauseMs = 100;

/**
 * A client of a service that may be killed at any moment: it repeats each request until it gets an answer.
 */
export class PersistentClient {
  readonly #issuer: TestIssuer;
  /** Number of requests that got no answer; the service may or may not have carried them out. */
  cutOff = 0;

  constructor(issuer: TestIssuer) {
    this.#issuer = issuer;
  }

  /** Requests an issuance and resolves when the service has confirmed that it accepted these records. */
  async issue(payload: object[]): Promise<void> {
    for (;;) {
      const { status, body } = await this.#answer(() => this.#issuer.post('srrs', { payload }));
      if (status === 201 || /status successful$/.test(body.message)) return;
      expect(body.message).toMatch(/status in_progress$/);
      await sleep(pauseMs);
    }
  }

  /**
   * Creates a collection. Each attempt has a new name, so the returned name tells which attempt was answered.
   */
  async createCollection(salt?: string): Promise<{ name: string; collectionAddress: string }> {
    const { status, body } = await this.#answer(() =>
      this.#issuer.post('collection', { payload: { name: `Tides ${randomUUID()}`, symbol: 'TIDE', salt } }),
    );
    expect(status, JSON.stringify(body)).toBe(201);
    return body.result;
  }

  /** Reserves a transfer; returns the transaction's hash. */
  reserve(tokenId: string): Promise<string> {
    return this.#control('reservations', { tokenId, commitment: keccak256(toHex('a secret', { size: 32 })) });
  }

  /** Transfers a record; returns the transaction's hash. */
  transfer(tokenId: string, to: string): Promise<string> {
    return this.#control('transfers', { tokenId, to });
  }

  async #control(path: string, request: object): Promise<string> {
    const { status, body } = await this.#answer(async () => {
      const response = await fetch(`${this.#issuer.info.commerceUrl}/sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      return { status: response.status, body: await response.json() };
    });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.txHash;
  }

  async #answer(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const answer = await ask().catch(() => undefined);
      if (answer) return answer;
      this.cutOff += 1;
      await sleep(pauseMs);
    }
  }
}

/**
 * Two buyers who transfer a registry record back and forth on the
 * chain itself, which survives kills of the sandbox.
 */
export function passingWallets({ info }: TestIssuer, tokenId: string): (turn: number) => Promise<string> {
  const wallets = info.buyers.slice(0, 2).map(({ privateKey }) =>
    createWalletClient({
      account: privateKeyToAccount(privateKey),
      chain: foundry,
      transport: http(info.rpcUrl),
    }).extend(publicActions),
  );
  return async (turn) => {
    const [owner, next] = turn % 2 === 0 ? wallets : wallets.toReversed();
    if (!owner || !next) throw new Error('every sandbox has two buyers');
    const hash = await owner.writeContract({
      address: info.registryAddress as `0x${string}`,
      abi: erc721Abi,
      functionName: 'transferFrom',
      args: [owner.account.address, next.account.address, BigInt(tokenId)],
    });
    // Blocks pause while the sandbox is killed and starts again, at worst twice on a busy machine.
    const { status } = await receiptOf(owner, hash, 60_000);
    expect(status).toBe('success');
    return hash;
  };
}
