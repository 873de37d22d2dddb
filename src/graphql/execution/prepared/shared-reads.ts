import type { CatalogRequest } from '../../../catalog/catalog.ts';

/**
 * The reads of executions that begin in the same turn of the event loop with the same document: their rows are one
 * request to the subgraph. Cancelled when all callers have left, or when an execution takes too long.
 */
export class SharedReads {
  readonly reads: CatalogRequest;
  readonly #timeoutMs: number;
  readonly #cancel = new AbortController();
  /** Needed beside the signal, because an execution also waits for things that take no signal. */
  readonly #cancelled = Promise.withResolvers<undefined>();
  #executions = 0;
  #callers = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: (signal: AbortSignal) => CatalogRequest, timeoutMs: number) {
    this.reads = request(this.signal);
    this.#timeoutMs = timeoutMs;
  }

  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Counts a caller until the returned function is called. */
  enter(): () => void {
    this.#callers++;
    return () => {
      if (--this.#callers === 0 && this.#executions > 0) this.#end('all callers have left');
    };
  }

  /** Runs an execution with these reads; undefined when they were cancelled. */
  async run<T>(execute: () => Promise<T>): Promise<T | undefined> {
    if (this.#executions++ === 0)
      this.#timer = setTimeout(() => this.#end('this took too long'), this.#timeoutMs);
    try {
      return await Promise.race([execute(), this.#cancelled.promise]);
    } finally {
      if (--this.#executions === 0) clearTimeout(this.#timer);
    }
  }

  #end(why: string): void {
    this.#cancel.abort(new Error(why));
    this.#cancelled.resolve(undefined);
  }
}
