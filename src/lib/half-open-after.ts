import type { IHalfOpenAfterBackoffContext } from 'cockatiel';

/**
 * The time until an open circuit breaker lets a call through. cockatiel compares it with a difference of wall-clock
 * times, so a plain number would keep the breaker open for an hour when the clock is set back by one. `isVerdict`
 * says whether a failed trial means that the upstream is down. If not, the next call is a trial at once.
 */
export function halfOpenAfter(ms: number, isVerdict: (error: unknown) => boolean = () => true) {
  const next = ({ result }: IHalfOpenAfterBackoffContext) => {
    const at = performance.now() + ('error' in result && !isVerdict(result.error) ? 0 : ms);
    return {
      next,
      get duration(): number {
        return performance.now() < at ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
    };
  };
  return { next };
}
