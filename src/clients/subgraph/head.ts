import { runDetached } from '@srr-gateway/common/async-context';
import { UpstreamError } from '../../model/errors.ts';
import type { BlockRef } from './records.ts';

/** Blocks come every few seconds. A page lags behind the subgraph by this time and one answer at most. */
const pollMs = 500;
/** Two polls may fail before the known block counts as stale. */
const staleMs = 1_500;
/** Upper limit of the subgraph's Retry-After. Until then each read finds the newest block itself. */
const longestPauseMs = 60_000;
/** Polling ends after this long without a reader; the next read then finds the newest block itself. */
const idleMs = 15_000;

/**
 * Tracks the newest indexed block. While requests come, it polls the subgraph twice a second for all of them. When
 * its last answer is stale, the next read asks for the newest block itself.
 */
export class Head {
  readonly #ask: () => Promise<BlockRef>;
  #block: BlockRef | undefined;
  #observedAt = Number.NEGATIVE_INFINITY;
  #usedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #generation = 0;

  constructor(ask: () => Promise<BlockRef>) {
    this.#ask = ask;
  }

  /**
   * The block to read at; undefined when the last answer is stale. Restarts polling. Every cache of answers asks
   * here, so this decides whether an old answer may be sent.
   */
  current(): BlockRef | undefined {
    this.#usedAt = performance.now();
    if (!this.#timer && !this.#closed) this.#schedule();
    return this.#usedAt - this.#observedAt <= staleMs ? this.#block : undefined;
  }

  /**
   * A key of the newest state: the block's hash, or, while that is unknown, the count of invalidations.
   * Readers with the same key may share one read.
   */
  snapshotKey(): string {
    return this.current()?.hash ?? `after ${this.#generation}`;
  }

  /** The number of invalidations. An answer that was requested before the last one proves nothing. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Records the block of an answer that was read at the newest block. A late answer does not set it back, and one
   * requested before the last invalidation does not undo that. After a reorganisation the newest block may have a
   * lower number: it counts once the known one is stale.
   */
  observe(block: BlockRef, generation: number): void {
    if (generation !== this.#generation) return;
    const known = performance.now() - this.#observedAt <= staleMs ? this.#block : undefined;
    if (known && known.number > block.number) return;
    this.#block = block;
    this.#observedAt = performance.now();
  }

  /** Call this when something happened on chain, so that the next read asks for the newest block. */
  invalidate(): void {
    this.#observedAt = Number.NEGATIVE_INFINITY;
    this.#generation++;
  }

  /** Call this when the subgraph does not know a block. If it was the newest, a reorganisation has removed it. */
  invalidateAt(block: BlockRef | undefined): void {
    if (block?.hash === this.#block?.hash) this.invalidate();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #schedule(afterMs = pollMs): void {
    runDetached(() => {
      this.#timer = setTimeout(() => void this.#poll(), afterMs).unref();
    });
  }

  async #poll(): Promise<void> {
    const generation = this.#generation;
    let pauseMs = pollMs;
    try {
      this.observe(await this.#ask(), generation);
    } catch (error) {
      // The known block becomes stale; the next read then meets the failure itself and reports it.
      const retryAfterMs = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
      pauseMs = Math.max(pollMs, Math.min(retryAfterMs, longestPauseMs));
    }
    this.#timer = undefined;
    if (!this.#closed && performance.now() - this.#usedAt < idleMs) this.#schedule(pauseMs);
  }
}
