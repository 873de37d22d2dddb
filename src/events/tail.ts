import { setImmediate } from 'node:timers/promises';
import type { Address } from '@srr-gateway/common/address';
import { runDetached } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';
import { type AboutIssuance, type EventFilter, selectEvents } from './event-filter.ts';
import { retryUntilAvailable } from './retry-until-available.ts';
import { SubscriberQueue } from './subscriber-queue.ts';

/** What a tail needs. */
export interface TailDeps {
  db: Db;
  signals: Signals;
  log: Logger;
  about: AboutIssuance;
}

/** A subscriber's queue, and the position after which it brings every matching event. */
export interface Joined {
  feed: SubscriberQueue;
  since: string;
}

/** Rows in one read. A delivery has 250 entries at most, so one read mostly takes all of it. */
const chunk = 250;
/**
 * Subscribers that are served before other work gets its turn. Events of the first are on their way while the
 * next are served, and no request waits for thousands of subscribers.
 */
const atOnce = 50;
/** How late an event reaches a subscriber when a wake-up was lost. */
const pollMs = 5_000;

/**
 * Follows the end of one issuer's log for all its live subscribers in this process: one read at each wake-up,
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
    // It only rejects because it was stopped: failed reads are retried.
    runDetached(() => this.#run()).catch(() => {});
  }

  /**
   * Adds a subscriber. Its queue gets every matching event after `since`, where the tail is now. Undefined
   * when the tail has stopped because its last subscriber left.
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

  /** Hands out the next events and returns how many they were. */
  async #advance(): Promise<number> {
    const { db, about } = this.#deps;
    const rows = await selectEvents(db, this.#issuer, this.#position, chunk, {}, about);
    await this.#handOut(rows);
    return rows.length;
  }

  /** Hands rows to all subscribers, or to none when the database fails: then the same rows are read again. */
  async #handOut(rows: EventRow[]): Promise<void> {
    const last = rows.at(-1);
    if (!last) return;
    const about = new Map<string, Set<string>>();
    for (;;) {
      // A subscriber that joins during the query gets these rows too, so look its issuance up as well.
      const unknown = [...this.#feeds].flatMap(({ filter: { issuance } }) =>
        issuance === undefined || about.has(issuance) ? [] : [issuance],
      );
      if (unknown.length === 0) break;
      const { db, about: issuances } = this.#deps;
      const found = await issuances.eventsAbout(db, this.#issuer, rows, [...new Set(unknown)]);
      for (const [id, cursors] of found) about.set(id, cursors);
    }
    let offered = 0;
    // A subscriber that joins meanwhile is reached too. It skips the rows that it has read already.
    for (const feed of this.#feeds) {
      for (const row of rows) feed.offer(row, about);
      if (++offered % atOnce === 0) await setImmediate();
    }
    this.#position = last.cursor;
  }
}
