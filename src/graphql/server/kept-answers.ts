import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** An answer as it goes out. */
export interface WholeAnswer {
  status: number;
  statusText: string;
  /** Names and values in turn. */
  headers: string[];
  /** Text until it is first sent from memory: most answers never are, and need not be encoded twice. */
  body: string | Buffer;
}

/** Where an answer holds: at the block of this hash, or, when it reads no source, for ever. */
export type Holds = { block: string } | 'for ever';

/** Bytes of all answers and of the requests for them: some thousand pages of records. */
const maxBytes = 64_000_000;
/** What an entry weighs besides: its headers and its place in the cache. */
const entryBytes = 2_000;

/** Answers to anonymous reads in the bytes that were sent, by the bytes of the request; the newest of each. */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, { holds: Holds; answer: WholeAnswer }>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, key) => Buffer.byteLength(answer.body) + key.length + entryBytes,
  });

  /** The answer if it still holds. `head` is only asked for when it matters. */
  find(key: string, head: () => string | undefined): WholeAnswer | undefined {
    const kept = this.#answers.get(key);
    if (!kept) return undefined;
    const { holds, answer } = kept;
    return holds === 'for ever' || holds.block === head() ? answer : undefined;
  }

  /** Whether this was answered before, be it at a block that has passed: then it is a public read. */
  knows(key: string): boolean {
    return this.#answers.has(key);
  }

  keep(key: string, holds: Holds, answer: WholeAnswer): void {
    this.#answers.set(key, { holds, answer });
  }
}

export function send(res: ServerResponse, answer: WholeAnswer): void {
  if (typeof answer.body === 'string') answer.body = Buffer.from(answer.body);
  const { status, statusText, headers, body } = answer;
  res.writeHead(status, statusText, headers).end(body);
}
