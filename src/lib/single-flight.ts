import { ShortLivedMap } from './short-lived-map.ts';

interface Run<T> {
  promise: Promise<T>;
  abort: AbortController;
  waiting: number;
}

type Work<T> = (signal: AbortSignal) => Promise<T>;

/** Makes a group that runs work once for all simultaneous callers with the same key. */
export function createSingleFlight<T>() {
  const runs = new ShortLivedMap<Run<T>>();

  const start = (key: string, work: Work<T>): Run<T> => {
    const abort = new AbortController();
    const run: Run<T> = { promise: work(abort.signal), abort, waiting: 0 };
    const end = () => runs.delete(key, run);
    // Callers get the failure through their own promises. When all have left, it must not be an unhandled
    // rejection.
    run.promise.then(end, end);
    runs.set(key, run);
    return run;
  };

  return {
    /**
     * Joins the work of `key`, or starts it. Throws the work's error, or the signal's reason when this caller
     * leaves. The work is aborted when the last caller leaves.
     */
    join(key: string, work: Work<T>, signal?: AbortSignal): Promise<T> {
      if (signal?.aborted) return Promise.reject(signal.reason);
      const run = runs.get(key) ?? start(key, work);
      run.waiting++;
      if (!signal) return run.promise;
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          reject(signal.reason);
          if (--run.waiting > 0) return;
          runs.delete(key, run);
          run.abort.abort(signal.reason);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        const unsubscribe = () => signal.removeEventListener('abort', onAbort);
        run.promise.then(resolve, reject);
        run.promise.then(unsubscribe, unsubscribe);
      });
    },
  };
}

/**
 * Creates a group that runs work on an object once for all members with the same key. A result is kept until all
 * members have taken it. A run is aborted when the last member that waits for it leaves.
 */
export function createRunsByObject<T>() {
  const runs = new WeakMap<object, Map<string, Run<T>>>();

  const runOf = (object: object, key: string, work: Work<T>): Run<T> => {
    const ofObject = runs.get(object) ?? new Map<string, Run<T>>();
    runs.set(object, ofObject);
    const known = ofObject.get(key);
    // An aborted run was left by its last member, so a newcomer must start it again.
    if (known && !known.abort.signal.aborted) return known;
    const abort = new AbortController();
    const run = { promise: work(abort.signal), abort, waiting: 0 };
    ofObject.set(key, run);
    return run;
  };

  return {
    /** Makes the function of one member, which it calls for one object after another until `signal` aborts. */
    member(key: string, signal: AbortSignal) {
      let current: Run<T> | undefined;
      // One listener for all objects, because one for each would cost more than the rest of this function.
      signal.addEventListener('abort', () => {
        if (current && --current.waiting === 0) current.abort.abort(signal.reason);
      });
      return async (object: object, work: Work<T>): Promise<T> => {
        // Do not count a member after its abort: the count would never fall again, and the run would never be aborted.
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
