import { z } from 'zod';
import { SubgraphError } from './failure.ts';
import type { MetaFragment, Sdk } from './generated.ts';
import type { At, AtBlock, BlockRef, IndexedBlock } from './records.ts';

/** Every query selects `_meta`, which says at which block the data was read. */
export type WithMeta = { _meta: MetaFragment | null };

/** What the subgraph replied. Some errors come with data that can be used. */
export type QueryResponse<D> = Promise<{ data: D; errors?: readonly { message: string }[] }>;

/** Sends the body of a request as it is, for operations that are composed at run time. */
export type SendBody = <D>(body: string) => QueryResponse<D>;

/** One query of the subgraph, to be read at any block. */
export interface SubgraphQuery<D> {
  /** Two queries with the same key get the same data at the same block. */
  key: string;
  /** Sends it by a generated function, which `sdk` makes, or as text. No block: the newest one. */
  send(
    sdk: () => Sdk,
    block: { hash: string } | { number: number } | undefined,
    send: SendBody,
  ): QueryResponse<D>;
  /** The lists of rows to check; the rest of the data is taken as it comes. */
  lists(data: D): unknown[];
}

/** The result of a query, with the body of the response. Callers share it and must not change it. */
export type QueryResult<D> = AtBlock<{ data: D; body: Buffer }>;

/**
 * Runs a query at a block, or at the newest one. The answer cache, the failover and each endpoint implement this,
 * and each calls the next. @throws SubgraphError; UpstreamError while all breakers are open; or the signal's reason.
 */
export type RunQuery = <D extends WithMeta>(query: SubgraphQuery<D>, at: At) => Promise<QueryResult<D>>;

/** Queries only the block. */
export const metaQuery: SubgraphQuery<WithMeta> = {
  key: 'meta',
  send: (sdk, block) => sdk().Meta({ block }),
  lists: () => [],
};

/** A block as an argument. Undefined, not null: only an omitted one means the newest to every subgraph version. */
export const heightOf = (block: BlockRef | undefined) =>
  block && (block.hash === undefined ? { number: block.number } : { hash: block.hash });

const meta = z.object({
  block: z.object({
    number: z.number().int(),
    hash: z.string().nullish(),
    timestamp: z.number().nullish(),
  }),
  hasIndexingErrors: z.boolean(),
});

/**
 * The block that data was read at. @throws SubgraphError BAD_ANSWER when a list of rows is not one of objects, or
 * the block is missing.
 */
export function blockOf<D extends WithMeta>(data: D, query: SubgraphQuery<D>): IndexedBlock {
  const block = indexedBlock(data);
  // Checked by hand, because a zod schema would copy each of thousands of rows.
  if (!query.lists(data).every((list) => Array.isArray(list) && list.every(isRow)))
    throw new SubgraphError('BAD_ANSWER', { cause: 'a list is missing, or has something that is no row' });
  return block;
}

/** The block of `_meta`. @throws SubgraphError BAD_ANSWER when it is missing. */
export function indexedBlock(data: WithMeta): IndexedBlock {
  const { error, data: seen } = meta.safeParse(data._meta);
  if (error) throw new SubgraphError('BAD_ANSWER', { cause: error });
  const { number, hash, timestamp } = seen.block;
  return { number, ...(hash != null && { hash }), ...(timestamp != null && { timestamp }) };
}

const isRow = (row: unknown): boolean => typeof row === 'object' && row !== null;
