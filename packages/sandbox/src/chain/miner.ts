import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import type { Hex } from 'viem';
import type { NodeClient, NodeRpc, Receipt } from './node-client.ts';

/**
 * Each block's time is at least a second after the one before, so a chain that mines several blocks a second
 * runs ahead of the clock. At this lead it slows to one block a second; idle time makes up for it.
 */
const maxLeadSeconds = 30;

/**
 * A chain whose last block is at most this old was just restarted
 * or seeded, and needs no empty block at start.
 */
const staleSeconds = 60;

/**
 * When the pool is empty, a transaction that is still awaited was mined unnoticed or is lost, so it is looked
 * up at once. While the pool has others it is looked up only every
 * so many rounds: that takes up to two calls.
 */
const roundsBetweenSearches = 20;

/** A queued transaction counts as stuck after so many rounds in which nothing else was pending. */
const roundsUntilStuck = 20;

export type OnBlock = (blockNumber: number) => void;

interface Waiter {
  resolve(receipt: Receipt | undefined): void;
  reject(error: Error): void;
  rounds: number;
}

/** Mines all pending transactions, and resolves the promises that wait for a receipt. */
export class Miner {
  readonly #client: NodeClient;
  readonly #rpc: NodeRpc;
  readonly #outage: OutageLog;
  readonly #waiters = new Map<Hex, Waiter>();
  readonly #listeners = new Set<OnBlock>();
  #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #stopped = false;
  #seenBlock = 0;
  #queuedRounds = 0;

  constructor(client: NodeClient, rpc: NodeRpc, intervalMs: number, log: Logger) {
    this.#client = client;
    this.#rpc = rpc;
    this.#intervalMs = intervalMs;
    this.#outage = new OutageLog(log, 'a mining round failed; trying again');
  }

  /** Mines what an earlier process left pending, then mines at every interval. */
  async start(): Promise<void> {
    this.#seenBlock = Number(await this.#client.getBlockNumber({ cacheTime: 0 }));
    await this.mine();
    await this.#catchUp();
    this.#schedule();
  }

  /**
   * Mines a block when the last one is old: otherwise the subgraph
   * seems to lag by the time the sandbox was off.
   */
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

  /**
   * Waits for a transaction's receipt; `undefined` when the node lost it. Rejects when the miner stops first.
   */
  receipt(transactionHash: Hex): Promise<Receipt | undefined> {
    if (this.#stopped) return Promise.reject(stopError());
    return new Promise((resolve, reject) => {
      this.#waiters.set(transactionHash, { resolve, reject, rounds: 0 });
    });
  }

  /**
   * Runs one round, or joins the running one: mines if anything is
   * pending, then reports blocks since the last round.
   */
  mine(): Promise<void> {
    this.#round ??= this.#runRound().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  /** Runs a task while no block is mined; gives its result and throws what it throws. */
  async pauseDuring<T>(task: () => Promise<T>): Promise<T> {
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

  /** Notifies the listeners after a reorganisation: known heights have other blocks now. */
  notify(blockNumber: number): void {
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
          () => this.#outage.succeeded(),
          (error: unknown) => this.#outage.failed(error),
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
    // A chain that lost blocks is shorter than what was seen; settle its head again, since that block is new.
    for (let block = Math.min(this.#seenBlock + 1, head); block <= head; block++) await this.#settle(block);
    if (head !== this.#seenBlock) for (const listener of this.#listeners) listener(head);
    this.#seenBlock = head;
    await this.#freeQueued(pending, queued);
    await this.#findMissing(pending + queued === 0);
  }

  /**
   * Anvil sometimes leaves a transaction queued that arrived while it mined, although its nonce is the next one:
   * such a one is sent again. One whose earlier nonce is missing is dropped if our sender waits for it, and the
   * sender sends it with a new nonce.
   */
  async #freeQueued(pending: number, queued: number): Promise<void> {
    this.#queuedRounds = pending === 0 && queued > 0 ? this.#queuedRounds + 1 : 0;
    if (this.#queuedRounds < roundsUntilStuck) return;
    this.#queuedRounds = 0;
    if (await this.#rpc.resendQueued()) return;
    if (this.#waiters.size > 0) await this.#rpc.dropPool();
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
