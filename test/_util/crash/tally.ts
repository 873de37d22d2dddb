/** Counts by name, in the order of their first appearance. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  toString(): string {
    const counts = [...this.#counts].toSorted(([, a], [, b]) => b - a);
    return counts.map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
  }
}
