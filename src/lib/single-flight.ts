interface Run<T> {
  promise: Promise<T>;
  abort: AbortController;
  waiting: number;
}

/** Runs work once for all callers that ask for the same key at the same time. */
export interface SingleFlight<T> {
  /**
   * Joins the work of `key`, or starts it. Throws what the work throws, or the signal's reason when the
   * caller leaves. The work is aborted when its last caller leaves.
   */
  join(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Makes a single-flight group; keys of two groups are independent. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const runs = new Map<string, Run<T>>();

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Run<T> => {
    const abort = new AbortController();
    const promise = work(abort.signal).finally(() => {
      if (runs.get(key) === run) runs.delete(key);
    });
    const run: Run<T> = { promise, abort, waiting: 0 };
    // Each caller gets the failure through its own promise. Once all have left, it must not count as
    // unhandled.
    promise.catch(() => {});
    runs.set(key, run);
    return run;
  };

  return {
    async join(key, work, signal) {
      signal?.throwIfAborted();
      const run = runs.get(key) ?? begin(key, work);
      run.waiting++;
      const leave = () => {
        if (--run.waiting > 0) return;
        if (runs.get(key) === run) runs.delete(key);
        run.abort.abort(signal?.reason);
      };
      let onAbort: (() => void) | undefined;
      const left = new Promise<never>((_, reject) => {
        onAbort = () => {
          leave();
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
      });
      try {
        return await Promise.race([run.promise, left]);
      } finally {
        if (onAbort) signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}
