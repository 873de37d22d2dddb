/**
 * The time by which signatures expire and delayed work falls due. Tests move it instead of waiting.
 * Rows keep the real time, so a moved clock that is forgotten at a restart leaves nothing in the future.
 */
export class Clock {
  offsetMs = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return Date.now() + this.offsetMs;
  }
}
