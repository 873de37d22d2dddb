import type { Logger } from './log.ts';

/**
 * Tells of a fault when it begins and when it is over: what is tried again each second would else fill the log
 * with the same words.
 */
export class OutageLog {
  readonly #log: Logger;
  readonly #began: string;
  #lasts = false;

  /** `began`: what failed, and what happens next. */
  constructor(log: Logger, began: string) {
    this.#log = log;
    this.#began = began;
  }

  failed(error: unknown): void {
    this.#log[this.#lasts ? 'debug' : 'warn']({ err: error }, this.#began);
    this.#lasts = true;
  }

  succeeded(): void {
    if (this.#lasts) this.#log.info({ was: this.#began }, 'it works again');
    this.#lasts = false;
  }
}
