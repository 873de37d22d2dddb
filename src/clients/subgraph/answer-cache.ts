import { LRUCache } from 'lru-cache';
import { createSingleFlight } from '../../lib/single-flight.ts';
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
  #newest: string | undefined;
  readonly #ofNewest = new LRUCache<string, Data>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  readonly #passed = new LRUCache<string, Data>({ maxSize: maxPassedBytes, sizeCalculation: sizeOf });
  readonly #running = createSingleFlight<Data>();

  constructor(head: Head) {
    this.#head = head;
  }

  /** The answer to a question at a block, or at the newest one. Equal keys mean equal questions. */
  async read(key: string, at: At, ask: (at: At) => Promise<Data>): Promise<Data> {
    const block = at.block ?? (at.newest ? undefined : this.#head.current());
    const known = block?.hash && this.#get(block.hash, key);
    if (known) return known;
    const load = (signal = at.signal) => this.#load(key, at, () => ask({ ...at, signal }));
    // A question about what is happening right now must not get an answer that began earlier.
    if (at.newest) return load();
    const place = at.block ? `at ${at.block.hash ?? at.block.number}` : this.#head.snapshotKey();
    return this.#running.join(`${place} ${key}`, load, at.signal);
  }

  async #load(key: string, at: At, ask: () => Promise<Data>): Promise<Data> {
    const generation = this.#head.generation;
    const answer = await ask();
    if (at.block === undefined) this.#head.observe(answer.block, generation);
    // Another endpoint may have the fields that were left out.
    if (answer.block.hash && !answer.trimmed) this.#set(answer.block.hash, key, answer);
    return answer;
  }

  #get(hash: string, key: string): Data | undefined {
    return hash === this.#newest ? this.#ofNewest.get(key) : this.#passed.get(hash + key);
  }

  /** Drops a block's answers when the next block comes, so that old answers do not fill the memory. */
  #set(hash: string, key: string, answer: Data): void {
    if (hash !== this.#newest && hash === this.#head.current()?.hash) {
      this.#ofNewest.clear();
      this.#newest = hash;
    }
    if (hash === this.#newest) this.#ofNewest.set(key, answer);
    else this.#passed.set(hash + key, answer);
  }
}

const sizeOf = ({ bytes }: Data, key: string) => bytes + key.length;
