import { LRUCache } from 'lru-cache';

/** How large a cache may become, and the size of each of its values. */
export interface CacheSize<Value> {
  maxSize: number;
  sizeOf(value: Value, key: string): number;
}

/**
 * Keeps what was read at one block, and drops it all when the first value of a newer block is kept. `find` is
 * the one place that decides whether an old answer may be sent again.
 */
export class BlockCache<Value extends object> {
  readonly #newest: () => string | undefined;
  readonly #values: LRUCache<string, Value>;
  #block: string | undefined;

  /** `newest` is the hash of the newest block; undefined while it is in doubt. */
  constructor(newest: () => string | undefined, { maxSize, sizeOf }: CacheSize<Value>) {
    this.#newest = newest;
    this.#values = new LRUCache({ maxSize, sizeCalculation: sizeOf });
  }

  /** A value that is still true: the block it was read at is the newest one at this moment. */
  find(key: string): Value | undefined {
    const newest = this.#newest();
    return newest === undefined ? undefined : this.at(newest, key);
  }

  /** A value that was read at this block, which is true there for ever. */
  at(block: string, key: string): Value | undefined {
    return block === this.#block ? this.#values.get(key) : undefined;
  }

  /** Keeps a value that was read at this block. False when another block is the newest. */
  keep(block: string, key: string, value: Value): boolean {
    if (block !== this.#newest()) return false;
    if (block !== this.#block) this.#values.clear();
    this.#block = block;
    this.#values.set(key, value);
    return true;
  }
}
