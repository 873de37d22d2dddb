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
  /** Of the body. */
  bytes: number;
  /** The same for who takes it compressed, once somebody has asked for it. */
  compressed?: WholeAnswer | 'not yet';
}

/** Where an answer holds: at the block of this hash, or, when it reads no source, for ever. */
export type Holds = { block: string } | 'for ever';

/** Bytes of all answers of a block and of the requests for them: some thousand pages of records. */
const blockBytes = 64_000_000;
/** The same for answers that hold for ever, which are few: the schema, and nothing at all. */
const lastingBytes = 8_000_000;
/** Bytes of requests that are known for public reads: as many as are asked within some blocks. */
const publicBytes = 8_000_000;
/** What an entry weighs besides: its headers and its place in the cache. */
const entryBytes = 2_000;

/** JSON in its compressed form takes a third of it at most. */
const sizeOf = ({ bytes }: WholeAnswer, key: string) => Math.ceil((bytes * 4) / 3) + key.length + entryBytes;

/**
 * Answers to anonymous reads in the bytes that were sent, by the bytes of the request. Those of a block go
 * when the next one comes, for nobody will be given them again.
 */
export class KeptAnswers {
  readonly #head: () => string | undefined;
  #block: string | undefined;
  readonly #ofBlock = new LRUCache<string, WholeAnswer>({ maxSize: blockBytes, sizeCalculation: sizeOf });
  readonly #lasting = new LRUCache<string, WholeAnswer>({ maxSize: lastingBytes, sizeCalculation: sizeOf });
  readonly #public = new LRUCache<string, true>({
    maxSize: publicBytes,
    sizeCalculation: (_, key) => key.length + entryBytes,
  });

  constructor(head: () => string | undefined) {
    this.#head = head;
  }

  /** The answer if it still holds: each time the head is looked at anew. */
  find(key: string): WholeAnswer | undefined {
    const lasting = this.#lasting.get(key);
    if (lasting) return lasting;
    const head = this.#head();
    return head !== undefined && head === this.#block ? this.#ofBlock.get(key) : undefined;
  }

  /** Whether this was answered before, be it at a block that has passed. */
  isPublic(key: string): boolean {
    return this.#public.has(key);
  }

  keep(key: string, holds: Holds, answer: WholeAnswer): void {
    this.#public.set(key, true);
    if (holds === 'for ever') this.#lasting.set(key, answer);
    else if (holds.block === this.#head()) {
      if (this.#block !== holds.block) this.#ofBlock.clear();
      this.#block = holds.block;
      this.#ofBlock.set(key, answer);
    }
  }
}

export function send(res: ServerResponse, answer: WholeAnswer): void {
  if (typeof answer.body === 'string') answer.body = Buffer.from(answer.body);
  const { status, statusText, headers, body } = answer;
  res.writeHead(status, statusText, headers).end(body);
}
