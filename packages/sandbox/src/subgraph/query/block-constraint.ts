import type { Block } from '../store/blocks.ts';
import { queryErrors } from './errors.ts';

/** A `block` argument. */
export interface BlockArgument {
  hash?: string | null;
  number?: number | null;
  number_gte?: number | null;
}

/** The state of the subgraph at the start of a query. */
export interface IndexState {
  deployment: string;
  head: Block;
  /** Earlier blocks count as pruned and cannot be queried. */
  earliestBlock: number;
  blockByHash(hash: string): Promise<Block | undefined>;
}

/** The block that a query is answered at. When the query gave a number, only the number is known. */
export type AnswerBlock = { number: number } & Partial<Omit<Block, 'number'>>;

/**
 * The block for a `block` argument; the head without one. Throws graph-node's error when it is not available.
 */
export async function answerBlock(
  state: IndexState,
  argument: BlockArgument | null | undefined,
): Promise<AnswerBlock> {
  if (typeof argument?.hash === 'string') {
    const block = await state.blockByHash(argument.hash);
    if (!block || block.number > state.head.number) throw queryErrors.unknownBlockHash();
    requireIndexed(state, 'number', block.number);
    return block;
  }
  if (typeof argument?.number === 'number') {
    requireIndexed(state, 'number', argument.number);
    return { number: argument.number };
  }
  if (typeof argument?.number_gte === 'number' && argument.number_gte > state.head.number) {
    throw queryErrors.blockNotYetIndexed(
      'number_gte',
      state.deployment,
      state.head.number,
      argument.number_gte,
    );
  }
  return state.head;
}

function requireIndexed(state: IndexState, argument: string, number: number): void {
  const { deployment, head, earliestBlock } = state;
  if (number > head.number) throw queryErrors.blockNotYetIndexed(argument, deployment, head.number, number);
  if (number < earliestBlock) throw queryErrors.blockPruned(deployment, earliestBlock, number);
}
