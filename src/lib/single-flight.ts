interface Run<T> {
  promise: Promise<T>;
  abort: AbortController;
  waiting: number;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** Runs work once for all callers that ask for the same key at the same time. */
export interface SingleFlight<T> {
  /**
   * Joins the work of `key`, or starts it. Throws what the work throws, or the signal's reason when the
   * caller leaves. The work is aborted when its last caller leaves.
   */
  join(key: string, work: Work<T>, signal?: AbortSignal): Promise<T>;
}

/** Makes a single-flight group; keys of two groups are independent. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const runs = new Map<string, Run<T>>();

  const begin = (key: string, work: Work<T>): Run<T> => {
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

/** Runs work on an object once for all members that take it under the same key. */
export interface RunsByObject<T> {
  /** For one member, which takes one object after the other until `signal` aborts. */
  member(key: string, signal: AbortSignal): (object: object, work: Work<T>) => Promise<T>;
}

/**
 * Makes runs whose results are kept as long as somebody still has to take the object. A run is aborted when the
 * last member that waits for it leaves.
 */
export function createRunsByObject<T>(): RunsByObject<T> {
  const runs = new WeakMap<object, Map<string, Run<T>>>();

  const runOf = (object: object, key: string, work: Work<T>): Run<T> => {
    const ofObject = runs.get(object) ?? new Map<string, Run<T>>();
    runs.set(object, ofObject);
    const known = ofObject.get(key);
    // A run that was aborted when its last member left has no result for the next one.
    if (known && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    const run = { promise: work(abort.signal), abort, waiting: 0 };
    ofObject.set(key, run);
    return run;
  };

  return {
    member(key, signal) {
      let current: Run<T> | undefined;
      // One listener for all objects: adding one for each would cost more than everything else here.
      signal.addEventListener('abort', () => {
        if (current && --current.waiting === 0) current.abort.abort(signal.reason);
      });
      return async (object, work) => {
        // Counted after its abort it would never be counted out, and the run would outlive the others.
        signal.throwIfAborted();
        current = runOf(object, key, work);
        current.waiting++;
        try {
          return await current.promise;
        } finally {
          current = undefined;
        }
      };
    },
  };
}
