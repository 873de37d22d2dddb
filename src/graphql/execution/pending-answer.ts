import type { Plugin } from 'graphql-yoga';
import type { Holds, WholeAnswer } from './response-cache.ts';

/** What the listener passes to Yoga with a request whose response may be cached. */
export interface PendingContext {
  pending?: PendingAnswer;
}

/**
 * A response in the making. Several places decide whether it may be cached: execution says for which block
 * its text is valid, a persisted query that is being registered forbids it, and the response has the headers.
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

  /** Time since the request came. What it waited for an equal request counts against its deadline. */
  get waitedMs(): number {
    return performance.now() - this.#askedAt;
  }

  /** Resolves when the response is cached, or when it is clear that it will not be. */
  get done(): Promise<void> {
    return this.#whole.promise;
  }

  /** Notes the text of a result that is the same for everybody. */
  executed(holds: Holds, text: string): void {
    this.#executed = { holds, text };
  }

  /** Keeps the response out of the cache, because each such request has to be executed. */
  forbid(): void {
    this.#forbidden = true;
  }

  /**
   * Caches the response if it is the bare text. The same text is also sent in other forms, such as a batch or
   * an event stream, which are not cached.
   */
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

/** Must come after every plugin that sets headers. */
export function keepAnswers(): Plugin<object, PendingContext> {
  return {
    onResponse: ({ response, serverContext }) => serverContext.pending?.responded(response),
  };
}
