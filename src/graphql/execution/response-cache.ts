import { LRUCache } from 'lru-cache';
import { BlockCache } from '../../lib/block-cache.ts';
import type { Body } from '../../lib/send.ts';
import { maxCharacters } from './limits/answer-limit.ts';

/** The answer to a read, ready to send. */
export interface Answer extends Body {
  /** Whether a later read at the same block would give the same. */
  complete: boolean;
  /** Hash of the block whose successor may change it; undefined when none does. */
  newestBlock: string | undefined;
}

/** Bytes of the answers of one block, with their keys: a few thousand pages of records. */
const blockBytes = 64_000_000;
/** The same for answers that stay true for ever. They are few: queries about the schema only. */
const lastingBytes = 8_000_000;
/** What an entry takes besides its body, and both compressed forms in proportion to it: a sixth each. */
const entryBytes = 500;
const withCompressed = 4 / 3;

const sizeOf = ({ bytes }: Answer, key: string) =>
  Math.ceil(bytes * withCompressed) + key.length + entryBytes;

/** Longer bodies are encoded once, shorter ones for each reader. */
const maxText = 4_000;

/**
 * The body of an answer: as bytes when it is long, because a short text goes out in one write with its headers.
 * @throws for a text that is too long: aliases of one document make a long answer of few bytes that were read.
 */
export function bodyOf(text: string): Body {
  if (text.length > maxCharacters) throw new Error('the answer is too long');
  if (text.length <= maxText) return { body: text, bytes: Buffer.byteLength(text) };
  const body = Buffer.from(text);
  return { body, bytes: body.length };
}

/**
 * The response cache: answers to reads that everybody may see, by what was asked. `BlockCache.find`
 * compares its block with that of `Head.current`.
 */
export class ResponseCache {
  readonly #ofBlock: BlockCache<Answer>;
  readonly #lasting = new LRUCache<string, Answer>({ maxSize: lastingBytes, sizeCalculation: sizeOf });

  /** `head` is the hash of the newest block; undefined while it is in doubt. */
  constructor(head: () => string | undefined) {
    this.#ofBlock = new BlockCache(head, { maxSize: blockBytes, sizeCalculation: sizeOf });
  }

  /** The answer if it is still true. */
  find(key: string): Answer | undefined {
    return this.#lasting.get(key) ?? this.#ofBlock.find(key);
  }

  /**
   * Keeps a complete answer, unless its block is no longer the newest. An answer that reads no source is true
   * at `any` block.
   */
  keep(key: string, block: string | 'any', answer: Answer): void {
    if (block === 'any') this.#lasting.set(key, answer);
    else this.#ofBlock.keep(block, key, answer);
  }
}
