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
    const run: Run<T> = { promise: work(abort.signal), abort, waiting: 0 };
    const end = () => {
      if (runs.get(key) === run) runs.delete(key);
    };
    // Each caller gets the failure through its own promise. Once all have left, it must not count as
    // unhandled.
    run.promise.then(end, end);
    runs.set(key, run);
    return run;
  };

  return {
    join(key, work, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const run = runs.get(key) ?? begin(key, work);
      run.waiting++;
      if (!signal) return run.promise;
      return new Promise((resolve, reject) => {
        const leave = () => {
          reject(signal.reason);
          if (--run.waiting > 0) return;
          if (runs.get(key) === run) runs.delete(key);
          run.abort.abort(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        const stay = () => signal.removeEventListener('abort', leave);
        run.promise.then(
          (value) => {
            stay();
            resolve(value);
          },
          (error) => {
            stay();
            reject(error);
          },
        );
      });
    },
  };
}
