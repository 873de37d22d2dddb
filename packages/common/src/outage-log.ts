import type { Logger } from './log.ts';

/**
 * Logs an outage once when it begins and once when it ends. Otherwise a retry each second would fill the log
 * with the same line.
 */
export class OutageLog {
  readonly #log: Logger;
  readonly #began: string;
  #lasts = false;

  /** `began` is the line to log: the failure, and what happens next. */
  constructor(log: Logger, began: string) {
    this.#log = log;
    this.#began = began;
  }

  /** Call this after each failure. The first is logged as a warning, later ones as debug lines. */
  failed(error: unknown): void {
    this.#log[this.#lasts ? 'debug' : 'warn']({ err: error }, this.#began);
    this.#lasts = true;
  }

  /** Call this after each success. The first after a failure is logged. */
  succeeded(): void {
    if (this.#lasts) this.#log.info({ was: this.#began }, 'it works again');
    this.#lasts = false;
  }
}
