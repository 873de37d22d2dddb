import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';

/** A whole response, ready to send. */
export interface WholeAnswer {
  status: number;
  statusText: string;
  /** Names and values alternate. */
  headers: string[];
  /**
   * A string until it is first sent from the cache: most responses never are, and need not be encoded twice.
   */
  body: string | Buffer;
  /** Length of the body. */
  bytes: number;
  /** The gzip form, once somebody has accepted it. */
  compressed?: WholeAnswer | 'not yet';
}

/**
 * How long a response is valid: while the block with this hash is the newest, or for ever when it reads no
 * source.
 */
export type Holds = { block: string } | 'for ever';

/** Bytes of the cached responses of one block, with their keys: a few thousand pages of records. */
const blockBytes = 64_000_000;
/** The same for responses that are valid for ever. They are few: queries about the schema only. */
const lastingBytes = 8_000_000;
/** Bytes of the keys that are known to be public reads: as many as are sent within a few blocks. */
const publicBytes = 8_000_000;
/** What an entry takes besides: its headers and its place in the cache. */
const entryBytes = 2_000;

/** Gzipped JSON takes a third of its length at most. */
const sizeOf = ({ bytes }: WholeAnswer, key: string) => Math.ceil((bytes * 4) / 3) + key.length + entryBytes;

/**
 * The response cache: responses to anonymous reads as they were sent, by the bytes of the request. Those of a
 * block are dropped when the next block comes, because nobody may be sent them any more.
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

  /** The cached response, if it is still valid. The newest block is looked up each time. */
  find(key: string): WholeAnswer | undefined {
    const lasting = this.#lasting.get(key);
    if (lasting) return lasting;
    const head = this.#head();
    return head !== undefined && head === this.#block ? this.#ofBlock.get(key) : undefined;
  }

  /** Whether this request was answered as a public read before, at any block. */
  isPublic(key: string): boolean {
    return this.#public.has(key);
  }

  /** Caches a response, unless its block is no longer the newest. */
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

/** Sends a cached response. */
export function send(res: ServerResponse, answer: WholeAnswer): void {
  if (typeof answer.body === 'string') answer.body = Buffer.from(answer.body);
  const { status, statusText, headers, body } = answer;
  res.writeHead(status, statusText, headers).end(body);
}
