import type { At, AtBlock, BlockRef, IndexedBlock } from '../clients/subgraph/subgraph.ts';

/**
 * Pins all reads of a request to the block of its first answer, so that all parts of a page show the same state.
 * Reads that start earlier wait for that answer.
 */
export class BlockPin {
  readonly #signal: AbortSignal;
  #block: IndexedBlock | undefined;
  #isNewest = true;
  #first: Promise<void> | undefined;
  #trimmed = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The pinned block; undefined until the first answer. */
  get block(): IndexedBlock | undefined {
    return this.#block;
  }

  /** The pinned block if it was the newest; a read at a cursor's block never changes. */
  get newest(): IndexedBlock | undefined {
    return this.#isNewest ? this.#block : undefined;
  }

  /** Whether an answer lacks fields that the next request may get. */
  get trimmed(): boolean {
    return this.#trimmed;
  }

  /** Reads at `block` if given (a cursor's), else at the pinned block. */
  read<T>(ask: (at: At) => Promise<AtBlock<T>>, block?: BlockRef): Promise<AtBlock<T>> {
    if (block !== undefined) {
      if (this.#block === undefined && !this.#first) return this.#readFirst(ask, block);
      return this.#ask(ask, { block });
    }
    if (this.#block !== undefined) return this.#ask(ask, { block: this.#block });
    return this.#first ? this.#first.then(() => this.read(ask)) : this.#readFirst(ask);
  }

  /** Reads the newest block even if the request is pinned to another, for outcomes that were just reported. */
  readNewest<T>(ask: (at: At) => Promise<AtBlock<T>>): Promise<AtBlock<T>> {
    return this.#ask(ask, { newest: true });
  }

  /** Pins only a block that answered, so that a lost cursor block does not fail the other reads. */
  async #readFirst<T>(ask: (at: At) => Promise<AtBlock<T>>, block?: BlockRef): Promise<AtBlock<T>> {
    const done = Promise.withResolvers<void>();
    this.#first = done.promise;
    try {
      const answer = await this.#ask(ask, { ...(block && { block }) });
      this.#isNewest = block === undefined;
      this.#block = answer.block;
      return answer;
    } finally {
      // After a failure one of the waiting reads becomes the first.
      this.#first = undefined;
      done.resolve();
    }
  }

  async #ask<T>(ask: (at: At) => Promise<AtBlock<T>>, at: At): Promise<AtBlock<T>> {
    const answer = await ask({ ...at, signal: this.#signal });
    this.#trimmed ||= answer.trimmed === true;
    return answer;
  }
}
