/**
 * When an open circuit breaker lets a call through again. cockatiel compares this with a difference of wall-clock
 * times, so with a number an open breaker would stay open for an hour when the clock is set back by one.
 */
export function halfOpenAfter(ms: number) {
  const next = () => {
    const at = performance.now() + ms;
    return {
      next,
      get duration(): number {
        return performance.now() < at ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      },
    };
  };
  return { next };
}
