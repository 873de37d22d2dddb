import { ServiceError } from '../../http/service-error.ts';

/** More than a thousand problems help no caller, and the answer could become larger than the request. */
const mostProblems = 1_000;

/** Collects the rules that a body breaks: the service reports them together, as an array. */
export class Problems {
  readonly #found: string[] = [];

  /** Adds a problem. The thousandth ends the request with 400. */
  add(problem: string): void {
    this.#found.push(problem);
    if (this.#found.length === mostProblems) this.throwIfAny();
  }

  /** Throws the 400 `ServiceError` when there is any problem. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new ServiceError(400, this.#found);
  }
}

/** Whether a value is a JSON object: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
