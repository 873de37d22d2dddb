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
    this.#newest = new BlockCache(() => head.current()?.hash, { maxSize: maxBytes, sizeOf });
  }

  /** The answer to a question at a block, or at the newest one. Equal keys mean equal questions. */
  read(key: string, at: At, ask: (at: At) => Promise<Data>): Promise<Data> {
    const load = async (signal = at.signal) => {
      const answer = await this.load({ ...at, signal }, ask);
      this.keep(key, answer);
      return answer;
    };
    // A question about what is happening right now must not get an answer that began earlier.
    if (at.newest) return load();
    const known = this.find(key, at);
    return known ? Promise.resolve(known) : this.#running.join(`${this.stateOf(at)} ${key}`, load, at.signal);
  }

  /** A cached answer. */
  find(key: string, at: At): Data | undefined {
    const known = at.block ? this.#at(at.block.hash, key) : this.#newest.find(key);
    publish('cache', { cache: 'subgraph', hit: known !== undefined });
    return known;
  }

  /** Names the state to read at: readers of the same state may share one read. */
  stateOf({ block }: At): string {
    return block ? `at ${block.hash ?? block.number}` : this.#head.snapshotKey();
  }

  /** Asks, and learns from the answer which block is the newest. */
  async load<T extends Answer<object>>(at: At, ask: (at: At) => Promise<T>): Promise<T> {
    const generation = this.#head.generation;
    const answer = await ask(at);
    if (at.block === undefined) this.#head.observe(answer.block, generation);
    return answer;
  }

  /** Keeps an answer for as long as its block is the newest, and some at older ones. */
  keep(key: string, answer: Data): void {
    const { hash } = answer.block;
    // Another endpoint may have the fields that were left out.
    if (hash && !answer.trimmed && !this.#newest.keep(hash, key, answer))
      this.#passed.set(hash + key, answer);
  }

  #at(block: string | undefined, key: string): Data | undefined {
    if (block === undefined) return undefined;
    return this.#newest.at(block, key) ?? this.#passed.get(block + key);
  }
}

function sizeOf({ bytes }: Data, key: string): number {
  return bytes + key.length;
}
