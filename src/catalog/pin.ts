import type { Answer, At } from '../subgraph/subgraph.ts';

/**
 * One block for everything that a request reads: the block of its first answer. Reads that start before
 * that answer is there wait for it, so that no two parts of a page come from different moments.
 */
export class BlockPin {
  readonly #signal: AbortSignal;
  #block: number | undefined;
  #first: Promise<void> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Reads at `block` when one is given (a cursor's), else at the request's own. */
  async read<T>(ask: (at: At) => Promise<Answer<T>>, block?: number): Promise<Answer<T>> {
    if (block !== undefined) this.#block ??= block;
    for (;;) {
      const at = block ?? this.#block;
      if (at !== undefined) return ask({ block: at, signal: this.#signal });
      if (!this.#first) return this.#readFirst(ask);
      await this.#first;
    }
  }

  /** Reads the newest block, whatever the request is pinned to: for what is only just happening. */
  readNewest<T>(ask: (at: At) => Promise<Answer<T>>): Promise<Answer<T>> {
    return ask({ signal: this.#signal });
  }

  async #readFirst<T>(ask: (at: At) => Promise<Answer<T>>): Promise<Answer<T>> {
    const done = Promise.withResolvers<void>();
    this.#first = done.promise;
    try {
      const answer = await ask({ signal: this.#signal });
      this.#block ??= answer.block.number;
      return answer;
    } finally {
      // After a failure the next reader becomes the first.
      this.#first = undefined;
      done.resolve();
    }
  }
}
