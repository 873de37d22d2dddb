/** Used magic values to remember, so that memory is bounded: far more than a test run has. */
const maxRemembered = 10_000;

/** Remembers which magic values were used: each hits once, because a client repeats what failed. */
export class UsedOnce {
  readonly #used = new Set<string>();

  /** Whether this use is the first. */
  first(use: string): boolean {
    if (this.#used.has(use)) return false;
    if (this.#used.size >= maxRemembered) this.#used.clear();
    this.#used.add(use);
    return true;
  }
}
