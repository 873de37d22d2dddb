import type { Plugin } from 'graphql-yoga';
import type { Holds, WholeAnswer } from './kept-answers.ts';

/** What the listener gives Yoga along with a request that may be answered from memory the next time. */
export interface PendingContext {
  pending?: PendingAnswer;
}

/**
 * An answer in the making. Whether it may be kept is said where that is known: execution says at which block
 * its text holds, a persisted query that is to be remembered forbids it, and the response has the headers.
 */
export class PendingAnswer {
  readonly #whole = Promise.withResolvers<void>();
  readonly #keep: (holds: Holds, answer: WholeAnswer) => void;
  #executed: { holds: Holds; text: string } | undefined;
  readonly #askedAt: number;
  #forbidden = false;

  constructor(askedAt: number, keep: (holds: Holds, answer: WholeAnswer) => void) {
    this.#askedAt = askedAt;
    this.#keep = keep;
  }

  /** Since its request came: what it waited for the answer of another counts against its deadline. */
  get waitedMs(): number {
    return performance.now() - this.#askedAt;
  }

  /** Settled when it is kept, or will not be. */
  get done(): Promise<void> {
    return this.#whole.promise;
  }

  /** The text of an answer that is the same to everybody. */
  executed(holds: Holds, text: string): void {
    this.#executed = { holds, text };
  }

  /** Each such request has to go through. */
  forbid(): void {
    this.#forbidden = true;
  }

  /** The same text is sent in other forms too, such as a batch or an event stream: only the bare one is kept. */
  responded({ status, statusText, headers }: Response): void {
    const { holds, text } = this.#executed ?? {};
    const json = /^application\/(graphql-response\+)?json\b/.test(headers.get('content-type') ?? '');
    if (holds && text !== undefined && !this.#forbidden && json) {
      const bytes = Buffer.byteLength(text);
      if (headers.get('content-length') === String(bytes))
        this.#keep(holds, { status, statusText, headers: [...headers].flat(), body: text, bytes });
    }
    this.end();
  }

  end(): void {
    this.#whole.resolve();
  }
}

/** Must stand behind every plugin that sets headers. */
export function keepAnswers(): Plugin<object, PendingContext> {
  return {
    onResponse: ({ response, serverContext }) => serverContext.pending?.responded(response),
  };
}
