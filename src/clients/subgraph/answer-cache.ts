import { LRUCache } from 'lru-cache';
import { BlockCache } from '../../lib/block-cache.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publish } from '../../observability/telemetry.ts';
import { SubgraphError } from './failure.ts';
import type { Head } from './head.ts';
import type { QueryResult, RunQuery, SubgraphQuery, WithMeta } from './query.ts';
import type { At } from './records.ts';

/** Bytes of unparsed answers at the newest block: a few hundred large pages. */
const maxBytes = 20_000_000;
/** The same at older blocks: only clients that continue from a cursor read there. */
const maxPassedBytes = 2_000_000;

type Data = QueryResult<WithMeta>;
/** The body, not the rows: the garbage collector would copy thousands of objects until they are old. */
type Cached = Pick<Data, 'block' | 'body'>;

/**
 * Caches answers of the subgraph by block hash, so that they never become wrong. Simultaneous equal queries share a
 * request. Callers share the answers and must not change them.
 */
export class AnswerCache {
  readonly #head: Head;
  readonly #next: RunQuery;
  readonly #newest: BlockCache<Cached>;
  readonly #passed = new LRUCache<string, Cached>({ maxSize: maxPassedBytes, sizeCalculation: sizeOf });
  readonly #running = createSingleFlight<Data>();

  constructor(head: Head, next: RunQuery) {
    this.#head = head;
    this.#next = next;
    this.#newest = new BlockCache(() => head.current()?.hash, { maxSize: maxBytes, sizeCalculation: sizeOf });
  }

  // Equal keys mean equal queries, so the data has this query's shape.
  runQuery: RunQuery = <D extends WithMeta>(query: SubgraphQuery<D>, at: At) =>
    this.#lookUp(query, at) as Promise<QueryResult<D>>;

  #lookUp<D extends WithMeta>(query: SubgraphQuery<D>, at: At): Promise<Data> {
    const { key } = query;
    // A read that must see the newest block must not join an earlier request.
    if (at.newest) return this.#run(query, at);
    const { block } = at;
    const known = block ? this.#at(block.hash, key) : this.#newest.find(key);
    publish('cache', { cache: 'subgraph', hit: known !== undefined });
    if (known) return Promise.resolve(dataOf(known));
    const state = block ? `at ${block.hash ?? block.number}` : this.#head.snapshotKey();
    const load = (signal: AbortSignal) => this.#run(query, { ...at, signal });
    return this.#running.join(`${state} ${key}`, load, at.signal);
  }

  /** Runs the query, reports the answer's block to the head, and caches the answer. */
  async #run<D extends WithMeta>(query: SubgraphQuery<D>, at: At): Promise<Data> {
    const { key } = query;
    const { generation } = this.#head;
    const answer = await this.#next(query, at).catch((error: unknown) => {
      if (error instanceof SubgraphError && error.kind === 'BLOCK_UNKNOWN') this.#head.invalidateAt(at.block);
      throw error;
    });
    const { block, body, trimmed } = answer;
    if (at.block === undefined) this.#head.observe(block, generation);
    // A trimmed answer is not cached: the first endpoint may have the missing fields.
    if (!block.hash || trimmed) return answer;
    const cached = { block, body };
    const isNewest = this.#newest.keep(block.hash, key, cached);
    // A late answer of the newest block is not cached, because the next read is newer.
    if (!isNewest && at.block !== undefined) this.#passed.set(block.hash + key, cached);
    return answer;
  }

  #at(block: string | undefined, key: string): Cached | undefined {
    if (block === undefined) return undefined;
    return this.#newest.at(block, key) ?? this.#passed.get(block + key);
  }
}

const dataOf = (cached: Cached): Data => ({ ...cached, data: JSON.parse(cached.body.toString()).data });

const sizeOf = ({ body }: Cached, key: string): number => body.length + key.length;
