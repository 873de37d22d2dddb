import { IpfsFailure, weightiest } from './failure.ts';

/**
 * Tries sources in order. The next one starts when one fails, or after `afterMs` without an answer, while the
 * others go on. The first result wins and the others are aborted.
 * @throws the most specific failure when all failed; any other error at once; or the signal's reason.
 */
export async function hedged<Source, T>(
  sources: readonly Source[],
  afterMs: number,
  attempt: (source: Source, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const losers = new AbortController();
  const live = AbortSignal.any([signal, losers.signal]);
  const failures: IpfsFailure[] = [];
  let started = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      const startNext = () => {
        clearTimeout(timer);
        const source = sources[started];
        if (source === undefined) return;
        started++;
        timer = setTimeout(startNext, afterMs);
        attempt(source, live).then(resolve, (error: unknown) => {
          if (!(error instanceof IpfsFailure)) return reject(error);
          failures.push(error);
          if (failures.length === sources.length) reject(weightiest(failures));
          else startNext();
        });
      };
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      startNext();
    });
  } finally {
    clearTimeout(timer);
    losers.abort(new Error('another source was faster'));
  }
}
