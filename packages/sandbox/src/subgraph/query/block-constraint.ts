import type { Block } from '../store/blocks.ts';
import { queryErrors } from './errors.ts';

/** A `block` argument. */
export interface BlockArgument {
  hash?: string | null;
  number?: number | null;
  number_gte?: number | null;
}

/** The state of the index that a query starts from. */
export interface IndexState {
  deployment: string;
  head: Block;
  /** Data of earlier blocks is pruned. */
  earliestBlock: number;
  blockByHash(hash: string): Promise<Block | undefined>;
}

/** The block to answer at. Only its number is known when it was asked for by number. */
export type AnswerBlock = { number: number } & Partial<Omit<Block, 'number'>>;

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
