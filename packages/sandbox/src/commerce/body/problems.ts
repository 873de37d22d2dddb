import { ServiceError } from '../../http/service-error.ts';

/** Who has broken a thousand rules learns nothing from more, and an answer larger than its request would hurt. */
const mostProblems = 1_000;

/** Rules of a body that do not hold: the service reports several at once as an array. */
export class Problems {
  readonly #found: string[] = [];

  add(problem: string): void {
    this.#found.push(problem);
    if (this.#found.length === mostProblems) this.throwIfAny();
  }

  /** Ends the request with 400 when any rule does not hold. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new ServiceError(400, this.#found);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
