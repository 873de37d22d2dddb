/** Under load the map is never empty, so it is copied after this many deletions. */
const copyAfter = 1_000;

/**
 * A map of short-lived entries. V8 links each table that a `Map` outgrows to the next one. Once such a table is in
 * the old generation, the later ones survive with their content until the next full collection: with new reads each
 * scavenge had six times as much to copy. A new `Map` has no such chain.
 */
export class ShortLivedMap<Value> {
  #entries = new Map<string, Value>();
  #deletions = 0;

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.set(key, value);
  }

  /** Deletes an entry, unless its key has another value by now. */
  delete(key: string, value: Value): void {
    if (this.#entries.get(key) !== value) return;
    this.#entries.delete(key);
    if (this.#entries.size > 0 && ++this.#deletions < copyAfter) return;
    this.#entries = new Map(this.#entries);
    this.#deletions = 0;
  }
}
