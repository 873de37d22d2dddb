interface Run<T> {
  promise: Promise<T>;
  abort: AbortController;
  waiting: number;
}

/** Runs work once for everybody who asks for the same key at the same time. */
export interface SingleFlight<T> {
  /** A caller may leave; the work stops when the last one has left. */
  join(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const runs = new Map<string, Run<T>>();

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Run<T> => {
    const abort = new AbortController();
    const promise = work(abort.signal).finally(() => {
      if (runs.get(key) === run) runs.delete(key);
    });
    const run: Run<T> = { promise, abort, waiting: 0 };
    // Each caller gets the failure by its own promise; when all have left, nobody needs it.
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
