import type { ExecutionResult } from 'graphql';

interface Run {
  result: Promise<ExecutionResult>;
  ending: AbortController;
  waiting: number;
}

type Execute = (signal: AbortSignal) => Promise<ExecutionResult>;

/**
 * Executes an event once for all subscriptions with the same key, and keeps the result as long as somebody
 * has yet to take the event.
 */
export class SharedExecutions {
  readonly #runs = new WeakMap<object, Map<string, Run>>();

  /** For one subscription, which takes an event after the other; once `signal` aborts it waits for none. */
  member(key: string, signal: AbortSignal): (event: object, execute: Execute) => Promise<ExecutionResult> {
    let current: Run | undefined;
    // One listener for all its events: to add one for each would cost more than the rest of it.
    signal.addEventListener('abort', () => {
      if (current && --current.waiting === 0) current.ending.abort(signal.reason);
    });
    return async (event, execute) => {
      const run = this.#run(event, key, execute);
      current = run;
      run.waiting++;
      const result = await run.result;
      current = undefined;
      return result;
    };
  }

  #run(event: object, key: string, execute: Execute): Run {
    const runs = this.#runs.get(event) ?? new Map<string, Run>();
    this.#runs.set(event, runs);
    const known = runs.get(key);
    // What its last subscriber cut short is no result for the next one.
    if (known && !known.ending.signal.aborted) return known;
    const ending = new AbortController();
    const run = { result: execute(ending.signal), ending, waiting: 0 };
    runs.set(key, run);
    return run;
  }
}
