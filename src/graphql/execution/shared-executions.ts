import type { ExecutionResult } from 'graphql';

interface Run {
  result: Promise<ExecutionResult>;
  ending: AbortController;
  waiting: number;
}

type Execute = (signal: AbortSignal) => Promise<ExecutionResult>;

/**
 * Executes an event once for all subscriptions with the same key. The result is kept as long as somebody
 * still has to take the event.
 */
export class SharedExecutions {
  readonly #runs = new WeakMap<object, Map<string, Run>>();

  /**
   * For one subscription, which takes one event after the other. When `signal` aborts, it waits for none any
   * more.
   */
  member(key: string, signal: AbortSignal): (event: object, execute: Execute) => Promise<ExecutionResult> {
    let current: Run | undefined;
    // One listener for all events: adding one for each event would cost more than everything else here.
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
    // A run that was aborted when its last subscriber left has no result for the next one.
    if (known && !known.ending.signal.aborted) return known;
    const ending = new AbortController();
    const run = { result: execute(ending.signal), ending, waiting: 0 };
    runs.set(key, run);
    return run;
  }
}
