import { LRUCache } from 'lru-cache';
import { BlockCache } from '../../lib/block-cache.ts';
import { createSingleFlight } from '../../lib/single-flight.ts';
import { publish } from '../../observability/telemetry.ts';
import type { Head } from './head.ts';
import type { Answer, At } from './records.ts';

/** Bytes of the answers at the newest block, as they were sent: a few hundred large pages. */
const maxBytes = 20_000_000;
/** The same at older blocks: only clients that continue from a cursor read there. */
const maxPassedBytes = 2_000_000;

type Data = Answer<{ data: object; bytes: number }>;

/**
 * Answers of the subgraph by block hash, so that they never become wrong. Equal questions that are asked at
 * the same time share one request. Callers share the answers and must not change them.
 */
export class AnswerCache {
  readonly #head: Head;
  readonly #newest: BlockCache<Data>;
  readonly #passed = new LRUCache<string, Data>({ maxSize: maxPassedBytes, sizeCalculation: sizeOf });
  readonly #running = createSingleFlight<Data>();

  constructor(head: Head) {
    this.#head = head;
    this.#newest = new BlockCache(() => head.current()?.hash, { maxSize: maxBytes, sizeCalculation: sizeOf });
  }

  /** The answer to a question at a block, or at the newest one. Equal keys mean equal questions. */
  read(key: string, at: At, ask: (at: At) => Promise<Data>): Promise<Data> {
    // A question about what is happening right now must not get an answer that began earlier.
    if (at.newest) return this.#ask(key, at, ask);
    const { block } = at;
    const known = block ? this.#at(block.hash, key) : this.#newest.find(key);
    publish('cache', { cache: 'subgraph', hit: known !== undefined });
    if (known) return Promise.resolve(known);
    const state = block ? `at ${block.hash ?? block.number}` : this.#head.snapshotKey();
    const load = (signal: AbortSignal) => this.#ask(key, { ...at, signal }, ask);
    return this.#running.join(`${state} ${key}`, load, at.signal);
  }

  /** Asks, learns from the answer which block is the newest, and keeps it. */
  async #ask(key: string, at: At, ask: (at: At) => Promise<Data>): Promise<Data> {
    const { generation } = this.#head;
    const answer = await ask(at);
    const { block, trimmed } = answer;
    if (at.block === undefined) this.#head.observe(block, generation);
    // A trimmed answer is not kept: another endpoint may have the fields that were left out.
    if (block.hash && !trimmed && !this.#newest.keep(block.hash, key, answer))
      this.#passed.set(block.hash + key, answer);
    return answer;
  }

  #at(block: string | undefined, key: string): Data | undefined {
    if (block === undefined) return undefined;
    return this.#newest.at(block, key) ?? this.#passed.get(block + key);
  }
}

function sizeOf({ bytes }: Data, key: string): number {
  return bytes + key.length;
}
