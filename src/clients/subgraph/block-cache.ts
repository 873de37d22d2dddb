import { LRUCache } from 'lru-cache';
import type { ChildReads } from './children.ts';
import type { EntityReads } from './entities.ts';
import type { Head } from './head.ts';
import type { ListReads } from './lists.ts';
import type { Answer, At } from './records.ts';

type Reads = EntityReads & ListReads & ChildReads;

/** The most rows to cache at the newest block. A row with its joined records takes a kilobyte or two. */
const maxRows = 20_000;
/** The most rows to cache at older blocks: only clients that continue from a cursor read there. */
const maxPassedRows = 2_000;

/**
 * The same reads, answered from memory while the block has not moved. Answers are cached by block hash, so
 * they never become wrong. Callers share them and must not change them.
 */
export function cachedByBlock(reads: Reads, head: Head): Reads {
  const answers = new AnswersByBlock(head);

  async function cached<T extends object>(
    question: unknown[],
    at: At = {},
    ask: (at: At) => Promise<Answer<T>>,
  ): Promise<Answer<T>> {
    const text = JSON.stringify(question);
    const block = at.block ?? (at.newest ? undefined : head.current());
    const known = block?.hash && answers.get(block.hash, text);
    if (known) return known as Answer<T>;
    const answer = await ask(at);
    if (at.block === undefined) head.observe(answer.block);
    if (answer.block.hash) answers.set(answer.block.hash, text, answer);
    return answer;
  }

  /** Caches each list by itself: the next request may combine it with lists of other parents. */
  async function cachedLists<Query, Row extends object>(
    kind: string,
    queries: readonly Query[],
    at: At = {},
    ask: (queries: readonly Query[], at: At) => Promise<Answer<{ lists: Row[][] }>>,
  ): Promise<Answer<{ lists: Row[][] }>> {
    const block = at.block ?? (at.newest ? undefined : head.current());
    const textOf = (query: Query) => JSON.stringify([kind, query]);
    const known = queries.map((query) =>
      block?.hash
        ? (answers.get(block.hash, textOf(query)) as Answer<{ rows: Row[] }> | undefined)
        : undefined,
    );
    const [one] = known;
    if (one && !known.includes(undefined)) {
      const { rows: _, ...seen } = one;
      return { ...seen, lists: known.map((answer) => answer?.rows ?? []) };
    }
    // An unpinned read may hit a newer block, where the cached lists do not hold: then read all of them.
    const missing = at.block ? queries.filter((_, i) => known[i] === undefined) : queries;
    const { lists, ...seen } = await ask(missing, at);
    if (at.block === undefined) head.observe(seen.block);
    const read = new Map(missing.map((query, i) => [query, lists[i] as Row[]]));
    const { hash } = seen.block;
    if (hash)
      for (const [query, rows] of read) {
        const answer: Answer<{ rows: Row[] }> = { ...seen, rows };
        answers.set(hash, textOf(query), answer);
      }
    return { ...seen, lists: queries.map((query, i) => read.get(query) ?? known[i]?.rows ?? []) };
  }

  return {
    srrLists: (queries, at) => cachedLists('srrLists', queries, at, reads.srrLists),
    collectionLists: (queries, at) => cachedLists('collectionLists', queries, at, reads.collectionLists),
    srrsByIds: (ids, at) => cached(['srrsByIds', ids], at, (at) => reads.srrsByIds(ids, at)),
    srrs: (query, at) => cached(['srrs', query], at, (at) => reads.srrs(query, at)),
    licensedUsersByAddresses: (ids, at) =>
      cached(['usersBy', ids], at, (at) => reads.licensedUsersByAddresses(ids, at)),
    licensedUsers: (query, at) => cached(['users', query], at, (at) => reads.licensedUsers(query, at)),
    collectionsByAddresses: (ids, at) =>
      cached(['collectionsBy', ids], at, (at) => reads.collectionsByAddresses(ids, at)),
    collections: (query, at) => cached(['collections', query], at, (at) => reads.collections(query, at)),
    customHistoriesByIds: (ids, at) =>
      cached(['histories', ids], at, (at) => reads.customHistoriesByIds(ids, at)),
    provenancesOf: (ids, window, at) =>
      cached(['provenances', ids, window], at, (at) => reads.provenancesOf(ids, window, at)),
    metadataHistoriesOf: (ids, window, at) =>
      cached(['metadata', ids, window], at, (at) => reads.metadataHistoriesOf(ids, window, at)),
    customHistoriesOf: (ids, window, at) =>
      cached(['historiesOf', ids, window], at, (at) => reads.customHistoriesOf(ids, window, at)),
  };
}

/** Drops a block's answers when the next block comes, so that old answers do not fill the memory. */
class AnswersByBlock {
  readonly #head: Head;
  #newest: string | undefined;
  readonly #ofNewest = new LRUCache<string, Answer<object>>({ maxSize: maxRows, sizeCalculation: rowsOf });
  readonly #passed = new LRUCache<string, Answer<object>>({
    maxSize: maxPassedRows,
    sizeCalculation: rowsOf,
  });

  constructor(head: Head) {
    this.#head = head;
  }

  get(hash: string, question: string): Answer<object> | undefined {
    return hash === this.#newest ? this.#ofNewest.get(question) : this.#passed.get(hash + question);
  }

  set(hash: string, question: string, answer: Answer<object>): void {
    if (hash !== this.#newest && hash === this.#head.current()?.hash) {
      this.#ofNewest.clear();
      this.#newest = hash;
    }
    if (hash === this.#newest) this.#ofNewest.set(question, answer);
    else this.#passed.set(hash + question, answer);
  }
}

/** The size of an answer in rows, at least one: an empty answer takes memory too. */
function rowsOf(answer: Answer<object>): number {
  let rows = 1;
  for (const part of Object.values(answer)) {
    if (Array.isArray(part)) rows += part.length;
    else if (part instanceof Map)
      for (const value of part.values()) rows += Array.isArray(value) ? value.length + 1 : 1;
  }
  return rows;
}
