import { hashOfText } from './ids.ts';
import { Ledger } from './ledger.ts';
import type { Variants } from './variants.ts';

export interface Block {
  number: number;
  hash: string;
  /** Seconds since 1970, as on chain. */
  timestamp: number;
  /** The time of the block on this machine in milliseconds, from which lags are computed. */
  at: number;
}

/** A record on chain, with the data of its request. */
export interface ChainRecord {
  externalId: string;
  requestId: string | undefined;
  issuer: string;
  tokenId: string;
  /** The address of the collection or the registry. */
  contract: string;
  collection: string | null;
  metadataCID: string;
  artist: string;
  owner: string;
  acceptedAt: Date;
  minedAt: Date;
  block: number;
}

/** A transaction that the service sent. `key`: an externalId, or the salt of a collection. */
export interface Transaction {
  key: string;
  /** Writes its effect. Throws when the contract reverts. */
  apply(block: Block): void;
  /** Called with the outcome, and again if a failed transaction is mined later. */
  decided(outcome: 'MINED' | 'FAILED', reason: string): void;
}

/** A chain in memory with a block every few milliseconds, or when the test calls for one. */
export class Chain {
  readonly ledger = new Ledger();
  readonly blocks: Block[] = [];
  /** All mints, in the order of the chain. */
  readonly records: ChainRecord[] = [];
  /** Transactions without an outcome. */
  readonly pending: Transaction[] = [];
  /** Transactions that were reported as failed; `mint` can still mine them. */
  readonly failed: Transaction[] = [];
  readonly #variants: Variants;
  #timer: NodeJS.Timeout | undefined;

  constructor(variants: Variants) {
    this.#variants = variants;
    this.#grow();
  }

  get head(): Block {
    return this.blocks.at(-1) as Block;
  }

  /** Makes a block every `ms` milliseconds; 0: only when `advance`, `mint` or `fail` is called. */
  advanceEvery(ms: number): void {
    clearInterval(this.#timer);
    if (ms > 0) this.#timer = setInterval(() => this.advance(), ms).unref();
  }

  send(transaction: Transaction): void {
    this.pending.push(transaction);
  }

  /** Makes a block with all transactions that `variants.mining` does not hold. */
  advance(): Block {
    const { default: usual, of } = this.#variants.mining;
    const due = this.pending.filter(({ key }) => (of[key] ?? usual) !== 'HELD');
    return this.#mine(due.map((one) => ({ one, fails: (of[one.key] ?? usual) === 'FAIL' })));
  }

  /** Mines a transaction at once, even one that is held or was reported as failed. */
  mint(key: string): Block {
    return this.#mine([{ one: this.#find(key), fails: false }]);
  }

  /** Fails a transaction at once. */
  fail(key: string): Block {
    return this.#mine([{ one: this.#find(key), fails: true }]);
  }

  /** The number of mints of an externalId, which must never be more than one. */
  mintsOf(externalId: string): number {
    return this.records.filter((record) => record.externalId === externalId).length;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #find(key: string): Transaction {
    const found = [...this.pending, ...this.failed].find((one) => one.key === key);
    if (!found) throw new Error(`No transaction of ${key}; pending: ${this.pending.map((one) => one.key)}`);
    return found;
  }

  #mine(decisions: { one: Transaction; fails: boolean }[]): Block {
    const block = this.#grow();
    const outcomes = decisions.map(({ one, fails }) => {
      for (const list of [this.pending, this.failed])
        if (list.includes(one)) list.splice(list.indexOf(one), 1);
      try {
        if (fails) throw new Error('transaction underpriced');
        one.apply(block);
        return { one, outcome: 'MINED' as const, reason: '' };
      } catch (error) {
        this.failed.push(one);
        return { one, outcome: 'FAILED' as const, reason: (error as Error).message };
      }
    });
    for (const { one, outcome, reason } of outcomes) one.decided(outcome, reason);
    return block;
  }

  #grow(): Block {
    const at = Date.now();
    const number = (this.blocks.at(-1)?.number ?? 999) + 1;
    const block = { number, hash: hashOfText(`${number} ${at}`), timestamp: Math.floor(at / 1000), at };
    this.blocks.push(block);
    return block;
  }
}
