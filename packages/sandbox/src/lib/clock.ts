/**
 * The clock of signatures and delayed work. Tests move it instead of waiting. A restart resets it, so rows have the
 * real time.
 */
export class Clock {
  offsetMs = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
