import { setImmediate } from 'node:timers/promises';
import type { Address } from '@srr-gateway/common/address';
import { runDetached } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';
import { aboutIssuances, type EventFilter, selectEvents } from './event-filter.ts';
import { retryUntilAvailable } from './retry-until-available.ts';
import { SubscriberQueue } from './subscriber-queue.ts';

export interface TailDeps {
  db: Db;
  signals: Signals;
  log: Logger;
}

export interface Joined {
  feed: SubscriberQueue;
  since: string;
}

/** Rows of one read: a delivery has 250 entries at most, so that one read mostly takes all of it. */
const chunk = 250;
/**
 * So many subscribers are woken before others get their turn: what the first are sent is on its way while the
 * next are dealt with, and no request waits for thousands of them.
 */
const atOnce = 50;
/** What a lost wake-up can cost a subscriber. */
const pollMs = 5_000;

/**
 * Follows the end of one issuer's log for all its live subscribers of this process: one look at each wake-up,
 * however many they are.
 */
export class Tail {
  readonly #deps: TailDeps;
  readonly #issuer: Address;
  readonly #feeds = new Set<SubscriberQueue>();
  readonly #stopping = new AbortController();
  readonly #onIdle: () => void;
  /** All events up to here were handed out. */
  #position: string;

  constructor(deps: TailDeps, issuer: Address, position: string, onIdle: () => void) {
    this.#deps = deps;
    this.#issuer = issuer;
    this.#position = position;
    this.#onIdle = onIdle;
    // It ends by being stopped only: what fails is tried again.
    runDetached(() => this.#run()).catch(() => {});
  }

  /**
   * From `since` on, which is where the tail is, the feed gets what its filter lets through. Undefined once
   * the tail has stopped, because its last subscriber left.
   */
  join(filter: EventFilter, places: number, signal: AbortSignal): Joined | undefined {
    if (this.#stopping.signal.aborted) return undefined;
    const feed = new SubscriberQueue(filter, places, signal, (left) => {
      this.#feeds.delete(left);
      if (this.#feeds.size === 0) this.#stop();
    });
    if (signal.aborted) feed.close();
    else this.#feeds.add(feed);
    return { feed, since: this.#position };
  }

  #stop(): void {
    this.#stopping.abort();
    this.#onIdle();
  }

  async #run(): Promise<void> {
    const { signals, log } = this.#deps;
    const { signal } = this.#stopping;
    for await (const _ of signals.ticks('events', this.#issuer, signal, pollMs))
      while ((await retryUntilAvailable(log, signal, () => this.#advance())) === chunk);
  }

  /** How many events were handed out. */
  async #advance(): Promise<number> {
    const rows = await selectEvents(this.#deps.db, this.#issuer, this.#position, chunk, {});
    await this.#handOut(rows);
    return rows.length;
  }

  /** To everybody or, when a look fails, to nobody: the same rows are then read again. */
  async #handOut(rows: EventRow[]): Promise<void> {
    const last = rows.at(-1);
    if (!last) return;
    const about = new Map<string, Set<string>>();
    for (;;) {
      // Whoever joins during the look gets these rows too, so that what it asks for must be known as well.
      const unknown = [...this.#feeds].flatMap(({ filter: { issuance } }) =>
        issuance === undefined || about.has(issuance) ? [] : [issuance],
      );
      if (unknown.length === 0) break;
      const found = await aboutIssuances(this.#deps.db, this.#issuer, rows, [...new Set(unknown)]);
      for (const [id, cursors] of found) about.set(id, cursors);
    }
    let offered = 0;
    // Whoever joins meanwhile is reached too, and knows what it has read already.
    for (const feed of this.#feeds) {
      for (const row of rows) feed.offer(row, about);
      if (++offered % atOnce === 0) await setImmediate();
    }
    this.#position = last.cursor;
  }
}
