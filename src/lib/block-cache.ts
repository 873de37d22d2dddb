import { LRUCache } from 'lru-cache';

/**
 * Cache of values that were read at one block. The first value of a newer block drops the others. `Head.current`,
 * called by `newest`, decides which block is the newest, and for how long.
 */
export class BlockCache<Value extends object> {
  readonly #newest: () => string | undefined;
  readonly #values: LRUCache<string, Value>;
  #block: string | undefined;

  /** `newest` is the hash of the newest block; undefined while it is not known. */
  constructor(newest: () => string | undefined, options: LRUCache.Options<string, Value, unknown>) {
    this.#newest = newest;
    this.#values = new LRUCache(options);
  }

  /** A value that is still current: it was read at the newest block. */
  find(key: string): Value | undefined {
    const newest = this.#newest();
    return newest === undefined ? undefined : this.at(newest, key);
  }

  /** A value that was read at this block. At that block it never changes. */
  at(block: string, key: string): Value | undefined {
    return block === this.#block ? this.#values.get(key) : undefined;
  }

  /** Stores a value that was read at this block. False when another block is the newest. */
  keep(block: string, key: string, value: Value): boolean {
    if (block !== this.#newest()) return false;
    if (block !== this.#block) this.#values.clear();
    this.#block = block;
    this.#values.set(key, value);
    return true;
  }
}
