import type { ExecutionResult } from 'graphql';

interface Run {
  result: Promise<ExecutionResult>;
  ending: AbortController;
  waiting: number;
}

/**
 * Executes an event once for all subscriptions with the same key, and keeps the result as long as somebody
 * has yet to take the event.
 */
export class SharedExecutions {
  readonly #runs = new WeakMap<object, Map<string, Run>>();

  /** `signal` is this subscriber's; the execution's own ends when its last subscriber has left. */
  join(
    event: object,
    key: string,
    signal: AbortSignal,
    execute: (signal: AbortSignal) => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const runs = this.#runs.get(event) ?? new Map<string, Run>();
    this.#runs.set(event, runs);
    const run = runs.get(key) ?? begin(execute);
    // What its last subscriber cut short is no result for the next one.
    if (!run.ending.signal.aborted) runs.set(key, run);
    run.waiting++;
    const leave = () => {
      if (--run.waiting > 0) return;
      if (runs.get(key) === run) runs.delete(key);
      run.ending.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    return run.result.finally(() => signal.removeEventListener('abort', leave));
  }
}

function begin(execute: (signal: AbortSignal) => ExecutionResult | Promise<ExecutionResult>): Run {
  const ending = new AbortController();
  return { result: (async () => execute(ending.signal))(), ending, waiting: 0 };
}
