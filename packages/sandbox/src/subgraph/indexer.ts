import type { Logger } from '@srr-gateway/common/log';
import { type Kysely, sql } from 'kysely';
import type { Hex, Log } from 'viem';
import type { Deployment } from '../chain/deployment.ts';
import type { NodeClient } from '../chain/node-client.ts';
import { lower } from './mapping/context.ts';
import { type DecodedLog, Dispatch, expectedReads } from './mapping/dispatch.ts';
import type { EntityModel } from './schema/entity-model.ts';
import { Batch } from './store/batch.ts';
import { type Block, BlockStore, insertBlocks, rewind } from './store/blocks.ts';
import { openEnd } from './store/tables.ts';

/** Blocks in one round. A long gap takes several rounds, and each is stored when it is done. */
const blocksPerRound = 200;

/**
 * Indexing starts at block 1, where the contracts are deployed. The node makes a new genesis at each start.
 */
export const firstBlock = 1;

interface IndexerOptions {
  db: Kysely<unknown>;
  model: EntityModel;
  client: NodeClient;
  deployment: Deployment;
  chainId: number;
  log: Logger;
}

/**
 * How far the subgraph stays behind the chain, to test clients against
 * a slow one. `ms` counts from a block's arrival.
 */
export interface Lag {
  blocks: number;
  ms: number;
}

/** Follows the chain block by block and writes the entities that its events create and change. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #blocks: BlockStore;
  readonly #dispatch: Dispatch;
  #head: Block | undefined;
  #collectionsKnown = false;
  /** When (in ms) each height of the chain was first seen, for `lag.ms`. */
  #seen: { block: number; at: number }[] = [];
  lag: Lag = { blocks: 0, ms: 0 };
  /** The running reads. Each is told only of the reorganisations during it. */
  readonly #reads = new Set<{ lowestAncestor: number }>();

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#blocks = new BlockStore(options.db);
    this.#dispatch = new Dispatch(options.deployment);
  }

  /** The last indexed block; `undefined` before the first. */
  get head(): Block | undefined {
    return this.#head;
  }

  /** Loads the last indexed block, to continue after it. */
  async start(): Promise<void> {
    this.#head = await this.#blocks.head();
  }

  /**
   * Runs a read. `lowestAncestor` is the height above which reorganisations during the read replaced blocks;
   * infinite when there was none.
   */
  async during<T>(read: () => Promise<T>): Promise<{ result: T; lowestAncestor: number }> {
    const seen = { lowestAncestor: Number.POSITIVE_INFINITY };
    this.#reads.add(seen);
    try {
      return { result: await read(), ...seen };
    } finally {
      this.#reads.delete(seen);
    }
  }

  /** Indexes new blocks up to the chain's head less the lag. True when there may be more. */
  async round(): Promise<boolean> {
    const chainHead = Number(await this.#options.client.getBlockNumber({ cacheTime: 0 }));
    await this.#rewindIfReorganised(chainHead);
    const from = this.#head ? this.#head.number + 1 : firstBlock;
    const target = this.#target(chainHead);
    const to = Math.min(target, from + blocksPerRound - 1);
    if (to < from) return false;
    const blocks = await this.#fetchBlocks(from, to);
    // The first block is not a child of ours: the chain was just reorganised, and the next round rewinds first.
    if (this.#head && blocks[0]?.parentHash !== this.#head.hash) return true;
    await this.#index(blocks);
    return to < target;
  }

  #target(chainHead: number): number {
    const now = Date.now();
    if (this.#seen.at(-1)?.block !== chainHead) this.#seen.push({ block: chainHead, at: now });
    const due = this.#seen.findLastIndex(({ at }) => at <= now - this.lag.ms);
    this.#seen = this.#seen.slice(Math.max(0, due));
    const dueBlock = due < 0 ? (this.#head?.number ?? 0) : (this.#seen[0]?.block ?? 0);
    return Math.min(dueBlock, chainHead) - this.lag.blocks;
  }

  async #fetchBlocks(from: number, to: number): Promise<Block[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    return Promise.all(numbers.map((number) => this.#fetchBlock(number)));
  }

  async #fetchBlock(number: number): Promise<Block> {
    const block = await this.#options.client.getBlock({ blockNumber: BigInt(number) });
    return { number, hash: block.hash, parentHash: block.parentHash, timestamp: Number(block.timestamp) };
  }

  async #index(blocks: readonly Block[]): Promise<void> {
    const { client, db, model } = this.#options;
    const first = blocks[0];
    const last = blocks.at(-1);
    if (!first || !last) return;
    if (!this.#collectionsKnown) await this.#loadCollections();
    const logs = await client.getLogs({ fromBlock: BigInt(first.number), toBlock: BigInt(last.number) });
    const byBlock = new Map(blocks.map((block) => [block.number, block]));
    const reorganised = logs.some((log) => byBlock.get(Number(log.blockNumber))?.hash !== log.blockHash);
    // The chain changed between reading the blocks and the logs. Write nothing; the next round reads again.
    if (reorganised) return;

    const batch = new Batch(db, model);
    const decoded = logs.map((log) => this.#dispatch.decode(log)).filter((entry) => entry !== undefined);
    await batch.preload(
      decoded.flatMap((entry) => expectedReads(entry, timestampMs(byBlock, entry.log.blockNumber))),
    );
    for (const entry of decoded) await this.#handle(entry, batch, byBlock);
    try {
      await db.transaction().execute(async (trx) => {
        await batch.write(trx);
        await insertBlocks(trx, blocks);
      });
    } catch (error) {
      // The commit may have succeeded although its answer was lost. Without the database, the next round asks again.
      this.#head = await this.#blocks.head().catch(() => this.#head);
      this.#collectionsKnown = false;
      throw error;
    }
    this.#head = last;
  }

  async #handle({ log, handler, args }: DecodedLog, store: Batch, blocks: Map<number, Block>): Promise<void> {
    store.enterBlock(Number(log.blockNumber));
    const event = {
      address: lower(log.address),
      txHash: log.transactionHash as Hex,
      logIndex: log.logIndex,
      timestampMs: timestampMs(blocks, log.blockNumber),
      registry: lower(this.#options.deployment.registry),
      originChain: `eip155:${this.#options.chainId}`,
      store,
    };
    await handler(event, args as never);
  }

  async #rewindIfReorganised(chainHead: number): Promise<void> {
    let known = this.#head;
    while (known && !(await this.#stillOnChain(known, chainHead))) {
      known = known.number > firstBlock ? await this.#blocks.byNumber(known.number - 1) : undefined;
    }
    if (known?.number === this.#head?.number) return;
    const ancestor = known?.number ?? 0;
    this.#options.log.info(
      { from: this.#head?.number, to: ancestor },
      'the chain was reorganised; rewinding',
    );
    await rewind(this.#options.db, this.#options.model, ancestor);
    this.#head = known;
    this.#seen = [];
    this.#collectionsKnown = false;
    for (const read of this.#reads) read.lowestAncestor = Math.min(read.lowestAncestor, ancestor);
  }

  async #stillOnChain(block: Block, chainHead: number): Promise<boolean> {
    return block.number <= chainHead && (await this.#fetchBlock(block.number)).hash === block.hash;
  }

  async #loadCollections(): Promise<void> {
    const { rows } = await sql<{ id: string }>`select id from sandbox.subgraph_collection
      where block_to = ${openEnd}`.execute(this.#options.db);
    this.#dispatch.setCollections(rows.map((row) => row.id));
    this.#collectionsKnown = true;
  }
}

function timestampMs(blocks: Map<number, Block>, blockNumber: Log<bigint>['blockNumber']): string {
  return String((blocks.get(Number(blockNumber))?.timestamp ?? 0) * 1000);
}
