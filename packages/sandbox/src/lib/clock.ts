/**
 * The time by which signatures expire and delayed work falls due. Tests move it instead of waiting. A restart
 * resets it, so rows are created with the real time; only an attempt to deliver that was postponed, by a fault or
 * for a retry, is due by it.
 */
export class Clock {
  offsetMs = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
