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

  /** A string that is there and not empty, or `''` with the problem noted. */
  text(value: unknown, name: string): string {
    if (typeof value !== 'string') this.add(`${name} must be a string`);
    // The document's row names both rules of an absent externalId; an absent value breaks both.
    if (value === '' || value === undefined || value === null) this.add(`${name} should not be empty`);
    return typeof value === 'string' ? value : '';
  }

  optionalText(value: unknown, name: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    this.add(`${name} must be a string`);
    return undefined;
  }

  flag(value: unknown, name: string): boolean {
    if (typeof value !== 'boolean') this.add(`${name} must be a boolean value`);
    return value === true;
  }

  list(value: unknown, name: string): unknown[] {
    if (Array.isArray(value)) return value;
    this.add(`${name} must be an array`);
    return [];
  }

  record(value: unknown, name: string): Record<string, unknown> {
    if (isRecord(value)) return value;
    this.add(`${name} must be an object`);
    return {};
  }

  /** Ends the request with 400 when any rule does not hold. */
  throwIfAny(): void {
    if (this.#found.length > 0) throw new ServiceError(400, this.#found);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
