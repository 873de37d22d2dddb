import { LRUCache } from 'lru-cache';
import type { ContentCoding } from '../../lib/content-coding.ts';

/** The answer to a read, ready to send. */
export interface Answer {
  /** JSON. As bytes when it is long: a short text goes out in one write with its headers. */
  body: string | Buffer;
  bytes: number;
  /** Whether an issuer may get a different answer. */
  personal: boolean;
  /** Whether a later read at the same block would give the same. */
  complete: boolean;
  /** Its compressed forms, each made once when somebody first accepts it. */
  compressed?: Partial<Record<ContentCoding, Promise<Buffer>>>;
}

/** For how long an answer is true: while this block is the newest, or for ever when it reads no source. */
export type ValidFor = { block: string } | 'ever';

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

/** The body of an answer. */
export function bodyOf(text: string): Pick<Answer, 'body' | 'bytes'> {
  if (text.length <= maxText) return { body: text, bytes: Buffer.byteLength(text) };
  const body = Buffer.from(text);
  return { body, bytes: body.length };
}

/**
 * The response cache: answers to reads that everybody may see, by what was asked. Those of a block are no longer
 * sent once another block is the newest, and are dropped when the first answer of that block is kept. Only this
 * class decides whether an old answer is still true; below it, `AnswerCache` decides it of the subgraph's answers.
 */
export class ResponseCache {
  readonly #head: () => string | undefined;
  #block: string | undefined;
  readonly #ofBlock = new LRUCache<string, Answer>({ maxSize: blockBytes, sizeCalculation: sizeOf });
  readonly #lasting = new LRUCache<string, Answer>({ maxSize: lastingBytes, sizeCalculation: sizeOf });

  /** `head` is the hash of the newest block; undefined while it is in doubt. */
  constructor(head: () => string | undefined) {
    this.#head = head;
  }

  /** The answer if it is still true. The newest block is looked up each time. */
  find(key: string): Answer | undefined {
    const lasting = this.#lasting.get(key);
    if (lasting) return lasting;
    const head = this.#head();
    return head !== undefined && head === this.#block ? this.#ofBlock.get(key) : undefined;
  }

  /** Keeps an answer that cannot get better at its block, unless that is no longer the newest. */
  keep(key: string, validFor: ValidFor, answer: Answer): void {
    if (!answer.complete) return;
    if (validFor === 'ever') this.#lasting.set(key, answer);
    else if (validFor.block === this.#head()) {
      if (this.#block !== validFor.block) this.#ofBlock.clear();
      this.#block = validFor.block;
      this.#ofBlock.set(key, answer);
    }
  }
}
