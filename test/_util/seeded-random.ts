import { seeded } from '@srr-gateway/common/seeded';

/** Random choices that depend only on a seed and their order, so that a failing run can be repeated. */
export class SeededRandom {
  readonly #seed: string;
  #nth = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** A number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.#next() * (max - min + 1));
  }

  /** An item of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T;
  }

  chance(part: number): boolean {
    return this.#next() < part;
  }

  #next(): number {
    return seeded(this.#seed, this.#nth++);
  }
}
