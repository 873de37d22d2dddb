import { runDetached } from '@srr-gateway/common/async-context';
import type { BlockRef } from './records.ts';

/** Blocks come every few seconds: a page is never behind the index by more than this and one answer. */
const pollMs = 500;
/** Two polls may fail before what was heard counts as old. */
const staleMs = 1_500;
/** Nobody has asked for so long: the watch ends, and the next read tells the head anew. */
const idleMs = 15_000;

/**
 * The newest indexed block, as last heard of. While requests come, one small question twice a second is asked
 * for all of them; when nothing was heard of late, the next read asks for the newest block itself.
 */
export class Head {
  readonly #ask: () => Promise<BlockRef>;
  #block: BlockRef | undefined;
  #heardAt = 0;
  #usedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #doubts = 0;

  constructor(ask: () => Promise<BlockRef>) {
    this.#ask = ask;
  }

  /** The head to read at; undefined when it is not known for sure. */
  current(): BlockRef | undefined {
    this.#usedAt = Date.now();
    if (!this.#timer && !this.#closed) this.#schedule();
    return this.#usedAt - this.#heardAt <= staleMs ? this.#block : undefined;
  }

  /**
   * What the newest state is called: by its block, or, while that is not known, by what has been heard since.
   * Two readers of one moment may share what one of them reads.
   */
  snapshotKey(): string {
    return this.current()?.hash ?? `after ${this.#doubts}`;
  }

  /** An answer that was asked for at the newest block tells it by the way; late ones do not set it back. */
  observe(block: BlockRef): void {
    const known = Date.now() - this.#heardAt <= staleMs ? this.#block : undefined;
    if (known && known.number > block.number) return;
    this.#set(block);
  }

  /** Something is known to have happened on chain: the next read asks anew. */
  invalidate(): void {
    this.#heardAt = 0;
    this.#doubts++;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #set(block: BlockRef): void {
    this.#block = block;
    this.#heardAt = Date.now();
  }

  #schedule(): void {
    runDetached(() => {
      this.#timer = setTimeout(() => void this.#look(), pollMs).unref();
    });
  }

  async #look(): Promise<void> {
    try {
      // After a reorganisation the head may be lower: here, what is heard is believed.
      this.#set(await this.#ask());
    } catch {
      // It grows old, and whoever reads then meets the fault and tells of it.
    }
    this.#timer = undefined;
    if (!this.#closed && Date.now() - this.#usedAt < idleMs) this.#schedule();
  }
}
