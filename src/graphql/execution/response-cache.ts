import { LRUCache } from 'lru-cache';
import { BlockCache } from '../../lib/block-cache.ts';
import type { Body } from '../../lib/send.ts';
import { maxCharacters } from './limits/answer-limit.ts';

/** The answer to a read, ready to send. */
export interface Answer extends Body {
  /** Whether a later read at the same block would give the same. */
  complete: boolean;
  /** Hash of the newest block, if the next block may change the answer; undefined if no block can. */
  newestBlock: string | undefined;
}

/** Bytes of the answers of one block, with their keys: a few thousand pages of records. */
const blockBytes = 64_000_000;
/** The same for answers that never change: queries about the schema alone. */
const lastingBytes = 8_000_000;
/** Overhead of an entry. The two compressed forms take another sixth of the body each. */
const entryBytes = 500;
const withCompressed = 4 / 3;

const sizeOf = ({ bytes }: Answer, key: string) =>
  Math.ceil(bytes * withCompressed) + key.length + entryBytes;

/** Longer bodies are encoded once, shorter ones for each response. */
const maxText = 4_000;

/**
 * The body of an answer: as bytes when it is long, because a short text goes out in one write with its headers.
 * @throws for a text that is too long: aliases can repeat one document until few bytes read make a long answer.
 */
export function bodyOf(text: string): Body {
  if (text.length > maxCharacters) throw new Error('the answer is too long');
  if (text.length <= maxText) return { body: text, bytes: Buffer.byteLength(text) };
  const body = Buffer.from(text);
  return { body, bytes: body.length };
}

/**
 * The response cache: answers to public reads by their key. `BlockCache.find` compares their block with that of
 * `Head.current`.
 */
export class ResponseCache {
  readonly #ofBlock: BlockCache<Answer>;
  readonly #lasting = new LRUCache<string, Answer>({ maxSize: lastingBytes, sizeCalculation: sizeOf });

  /** `head` is the hash of the newest block; undefined while it is in doubt. */
  constructor(head: () => string | undefined) {
    this.#ofBlock = new BlockCache(head, { maxSize: blockBytes, sizeCalculation: sizeOf });
  }

  /** The answer, if it is still current. */
  find(key: string): Answer | undefined {
    return this.#lasting.get(key) ?? this.#ofBlock.find(key);
  }

  /**
   * Caches a complete answer, unless its block is no longer the newest. An answer that reads no source is valid at
   * `any` block.
   */
  keep(key: string, block: string | 'any', answer: Answer): void {
    if (block === 'any') this.#lasting.set(key, answer);
    else this.#ofBlock.keep(block, key, answer);
  }
}
