import {
  type Answer,
  type At,
  type BlockRef,
  type IndexedBlock,
  SubgraphError,
} from '../clients/subgraph/subgraph.ts';
import { GatewayError } from '../model/errors.ts';

/**
 * Pins all reads of a request to one block, that of its first answer. Reads that start before that answer
 * wait for it, so that no two parts of a page show different moments.
 */
export class BlockPin {
  readonly #signal: AbortSignal;
  #block: IndexedBlock | undefined;
  #first: Promise<void> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The pinned block; undefined before the first answer. */
  get block(): IndexedBlock | undefined {
    return this.#block;
  }

  /** Reads at `block` if given (a cursor's), else at the pinned block. */
  async read<T>(ask: (at: At) => Promise<Answer<T>>, block?: BlockRef): Promise<Answer<T>> {
    if (block !== undefined) {
      this.#block ??= block;
      return ask({ block, signal: this.#signal }).catch(startOver);
    }
    for (;;) {
      if (this.#block !== undefined) return ask({ block: this.#block, signal: this.#signal });
      if (!this.#first) return this.#readFirst(ask);
      await this.#first;
    }
  }

  /** Reads the newest block, whatever the request is pinned to: for what is happening right now. */
  readNewest<T>(ask: (at: At) => Promise<Answer<T>>): Promise<Answer<T>> {
    return ask({ newest: true, signal: this.#signal });
  }

  async #readFirst<T>(ask: (at: At) => Promise<Answer<T>>): Promise<Answer<T>> {
    const done = Promise.withResolvers<void>();
    this.#first = done.promise;
    try {
      const answer = await ask({ signal: this.#signal });
      this.#block ??= answer.block;
      return answer;
    } finally {
      // After a failure one of the waiting reads becomes the first.
      this.#first = undefined;
      done.resolve();
    }
  }
}

/** Turns the loss of a cursor's block, pruned by the subgraph or reorganised, into INVALID_INPUT. */
function startOver(error: unknown): never {
  if (!(error instanceof SubgraphError)) throw error;
  if (error.kind !== 'BLOCK_PRUNED' && error.kind !== 'BLOCK_UNKNOWN') throw error;
  throw new GatewayError(
    {
      code: 'INVALID_INPUT',
      message:
        'The block of this cursor is gone: the subgraph keeps none so old, or the chain was reorganised. Start again without a cursor.',
      path: ['after'],
      ...(error.faults[0].upstreamMessage && { upstreamMessage: error.faults[0].upstreamMessage }),
    },
    { cause: error },
  );
}
