import { type Kysely, sql } from 'kysely';
import type { EntityModel } from '../schema/entity-model.ts';
import { openEnd, tableName } from './tables.ts';

/** A block that the indexer has read. */
export interface Block {
  number: number;
  hash: string;
  parentHash: string;
  /** Seconds since 1970. */
  timestamp: number;
}

interface BlockRow {
  number: number;
  hash: string;
  parent_hash: string;
  timestamp: number;
}

/** Reads the table of indexed blocks. */
export class BlockStore {
  readonly #db: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    this.#db = db;
  }

  /** The last indexed block; `undefined` before the first. */
  async head(): Promise<Block | undefined> {
    const query = sql<BlockRow>`select * from sandbox.subgraph_block order by number desc limit 1`;
    return toBlock((await query.execute(this.#db)).rows[0]);
  }

  async byHash(hash: string): Promise<Block | undefined> {
    const query = sql<BlockRow>`select * from sandbox.subgraph_block where hash = ${hash}`;
    return toBlock((await query.execute(this.#db)).rows[0]);
  }

  async byNumber(number: number): Promise<Block | undefined> {
    const query = sql<BlockRow>`select * from sandbox.subgraph_block where number = ${number}`;
    return toBlock((await query.execute(this.#db)).rows[0]);
  }
}

/** Stores indexed blocks; call it in the transaction that writes their entities. */
export async function insertBlocks(db: Kysely<unknown>, blocks: readonly Block[]): Promise<void> {
  const rows = blocks.map(
    (block) => sql`(${block.number}::int, ${block.hash}, ${block.parentHash}, ${block.timestamp}::int)`,
  );
  await sql`insert into sandbox.subgraph_block (number, hash, parent_hash, timestamp)
    values ${sql.join(rows)}`.execute(db);
}

/**
 * Undoes everything after a block, in one transaction: removes
 * later versions and reopens those they replaced.
 */
export async function rewind(db: Kysely<unknown>, model: EntityModel, toBlock: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const entity of model.entities) {
      const table = sql.table(`sandbox.${tableName(entity)}`);
      await sql`delete from ${table} where block_from > ${toBlock}`.execute(trx);
      await sql`update ${table} set block_to = ${openEnd}
        where block_to > ${toBlock} and block_to < ${openEnd}`.execute(trx);
    }
    await sql`delete from sandbox.subgraph_block where number > ${toBlock}`.execute(trx);
  });
}

function toBlock(row: BlockRow | undefined): Block | undefined {
  return row && { number: row.number, hash: row.hash, parentHash: row.parent_hash, timestamp: row.timestamp };
}
