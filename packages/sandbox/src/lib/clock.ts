/**
 * The clock of signatures and delayed work. Tests move it instead of waiting. A restart resets it, so rows
 * are created with the real time. Only postponed attempts to deliver, after a fault or for a retry, are due
 * by this clock.
 */
export class Clock {
  offsetMs = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
