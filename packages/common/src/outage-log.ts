import type { Logger } from './log.ts';

/**
 * Logs an outage once when it begins, once for each other kind of fault within it, and once when it ends. Otherwise
 * a retry each second would fill the log with the same line.
 */
export class OutageLog {
  readonly #log: Logger;
  readonly #began: string;
  /** The kinds of faults since it began; empty while all is well. */
  readonly #kinds = new Set<string>();

  /** `began` is the line to log: the failure, and what happens next. */
  constructor(log: Logger, began: string) {
    this.#log = log;
    this.#began = began;
  }

  /** Call it after each failure. The first of its kind is logged as a warning, the following ones as debug lines. */
  failed(error: unknown): void {
    const kind = kindOf(error);
    this.#log[this.#kinds.has(kind) ? 'debug' : 'warn']({ err: error }, this.#began);
    this.#kinds.add(kind);
  }

  /** Call this after each success. The first after a failure is logged. */
  succeeded(): void {
    if (this.#kinds.size > 0) this.#log.info({ was: this.#began }, 'it works again');
    this.#kinds.clear();
  }
}

/** There are few, unlike messages, which may name a port or a time. */
const kindOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return String(code ?? name);
};
