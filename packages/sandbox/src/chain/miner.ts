import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import type { Hex } from 'viem';
import type { NodeClient, NodeRpc, Receipt } from './node-client.ts';

/**
 * Block times are whole seconds and each is later than the one before, so a chain with several blocks a
 * second runs ahead of the clock. From this lead on it keeps to one block a second; idling makes it up.
 */
const maxLeadSeconds = 30;

/** A chain that was only just restarted, or seeded, goes on without a block that holds nothing. */
const staleSeconds = 60;

/**
 * A transaction that is still waited for when the node has none left was mined while nobody looked, or is
 * lost. While the node is busy such a one is looked for only this seldom: each costs two calls.
 */
const roundsBetweenSearches = 20;

export type OnBlock = (blockNumber: number) => void;

interface Waiter {
  resolve(receipt: Receipt | undefined): void;
  reject(error: Error): void;
  rounds: number;
}

/** Mines what is pending, whoever sent it, and tells those who wait for a transaction. */
export class Miner {
  readonly #client: NodeClient;
  readonly #rpc: NodeRpc;
  readonly #trouble: OutageLog;
  readonly #waiters = new Map<Hex, Waiter>();
  readonly #listeners = new Set<OnBlock>();
  #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #stopped = false;
  #seenBlock = 0;

  constructor(client: NodeClient, rpc: NodeRpc, intervalMs: number, log: Logger) {
    this.#client = client;
    this.#rpc = rpc;
    this.#intervalMs = intervalMs;
    this.#trouble = new OutageLog(log, 'a mining round failed; it is tried again');
  }

  /** Mines what an earlier process left pending, then goes on by itself. */
  async start(): Promise<void> {
    this.#seenBlock = Number(await this.#client.getBlockNumber({ cacheTime: 0 }));
    await this.mine();
    await this.#catchUp();
    this.#schedule();
  }

  /** Whoever asks how far the index is behind would else be told how long nobody has run this chain. */
  async #catchUp(): Promise<void> {
    const { timestamp } = await this.#client.getBlock({ blockTag: 'latest' });
    const now = Math.floor(Date.now() / 1000);
    if (now - Number(timestamp) <= staleSeconds) return;
    await this.#rpc.mine(now);
    await this.mine();
  }

  setInterval(ms: number): void {
    this.#intervalMs = ms;
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#schedule();
  }

  onBlock(listener: OnBlock): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The receipt of a transaction; `undefined` when the node has lost it. Rejects when the chain stops first. */
  receipt(transactionHash: Hex): Promise<Receipt | undefined> {
    if (this.#stopped) return Promise.reject(stopError());
    return new Promise((resolve, reject) => {
      this.#waiters.set(transactionHash, { resolve, reject, rounds: 0 });
    });
  }

  /** One round at once: a block when something is pending, then the news of all blocks since the last round. */
  mine(): Promise<void> {
    this.#round ??= this.#runRound().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Runs a task while no block is mined. */
  async still<T>(task: () => Promise<T>): Promise<T> {
    while (this.#round) await this.#round.catch(() => {});
    const result = task();
    this.#round = result.then(
      () => {},
      () => {},
    );
    const round = this.#round;
    return result.finally(() => {
      if (this.#round === round) this.#round = undefined;
    });
  }

  /** Blocks at known heights became others: those who listen look again. */
  announce(blockNumber: number): void {
    for (const listener of this.#listeners) listener(blockNumber);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round?.catch(() => {});
    for (const waiter of this.#waiters.values()) waiter.reject(stopError());
    this.#waiters.clear();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.mine()
        .then(
          () => this.#trouble.succeeded(),
          (error: unknown) => this.#trouble.failed(error),
        )
        .finally(() => {
          clearTimeout(this.#timer);
          if (!this.#stopped) this.#schedule();
        });
    }, this.#intervalMs);
  }

  async #runRound(): Promise<void> {
    const { pending, queued } = await this.#rpc.pool();
    if (pending > 0) {
      const { timestamp } = await this.#client.getBlock({ blockTag: 'latest' });
      const now = Math.floor(Date.now() / 1000);
      const next = Math.max(now, Number(timestamp) + 1);
      if (next - now <= maxLeadSeconds) await this.#rpc.mine(next);
    }
    const head = Number(await this.#client.getBlockNumber({ cacheTime: 0 }));
    // A reorganisation shortens the chain: what stands at the same heights now is new again.
    for (let block = Math.min(this.#seenBlock + 1, head); block <= head; block++) await this.#settle(block);
    if (head !== this.#seenBlock) for (const listener of this.#listeners) listener(head);
    this.#seenBlock = head;
    await this.#findMissing(pending + queued === 0);
  }

  async #settle(blockNumber: number): Promise<void> {
    if (this.#waiters.size === 0) return;
    for (const receipt of await this.#rpc.blockReceipts(blockNumber)) {
      this.#waiters.get(receipt.transactionHash)?.resolve(receipt);
      this.#waiters.delete(receipt.transactionHash);
    }
  }

  async #findMissing(poolWasEmpty: boolean): Promise<void> {
    for (const [hash, waiter] of this.#waiters) {
      if (++waiter.rounds % roundsBetweenSearches !== 0 && !poolWasEmpty) continue;
      const receipt = await this.#client.getTransactionReceipt({ hash }).catch(() => undefined);
      const known = receipt ?? (await this.#client.getTransaction({ hash }).catch(() => undefined));
      if (known && !receipt) continue;
      this.#waiters.delete(hash);
      waiter.resolve(
        receipt && {
          transactionHash: hash,
          blockNumber: Number(receipt.blockNumber),
          succeeded: receipt.status === 'success',
        },
      );
    }
  }
}

function stopError(): Error {
  return new Error(
    'The chain was stopped before the transaction was mined; look for it after the next start.',
  );
}
