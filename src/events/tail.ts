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

export interface TailDeps {
  db: Db;
  signals: Signals;
  log: Logger;
  about: AboutIssuance;
}

/** A subscriber's queue, which gets all matching events after the position `since`. */
export interface TailSubscription {
  queue: SubscriberQueue;
  since: string;
}

/** Rows in one read: as many as the largest delivery has entries. */
const chunk = 250;
/**
 * Subscribers served before the event loop gets a turn: other requests must not wait for thousands of
 * subscribers, and the events queued so far can be sent.
 */
const subscribersPerTurn = 50;
/** Poll interval in case a wake-up is lost: an event reaches subscribers this late at most. */
const pollMs = 5_000;

/**
 * Follows the end of one issuer's log for all its live subscribers in this process, with one read at each
 * wake-up.
 */
export class Tail {
  readonly #deps: TailDeps;
  readonly #issuer: Address;
  readonly #queues = new Set<SubscriberQueue>();
  readonly #stopping = new AbortController();
  readonly #onIdle: () => void;
  /** All events up to here are in the queues. */
  #position: string;

  constructor(deps: TailDeps, issuer: Address, position: string, onIdle: () => void) {
    this.#deps = deps;
    this.#issuer = issuer;
    this.#position = position;
    this.#onIdle = onIdle;
    // Failed reads are retried, so it rejects only when it is stopped.
    runDetached(() => this.#run()).catch(() => {});
  }

  /**
   * Adds a subscriber, whose queue begins at the present position. Returns undefined when the tail has stopped
   * because its last subscriber left.
   */
  join(filter: EventFilter, capacity: number, signal: AbortSignal): TailSubscription | undefined {
    if (this.#stopping.signal.aborted) return undefined;
    const queue = new SubscriberQueue(filter, capacity, signal, (left) => {
      this.#queues.delete(left);
      if (this.#queues.size === 0) this.#stop();
    });
    if (signal.aborted) queue.close();
    else this.#queues.add(queue);
    return { queue, since: this.#position };
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

  /** Reads the next events, puts them into the queues, and returns their number. */
  async #advance(): Promise<number> {
    const { db, about } = this.#deps;
    const rows = await selectEvents(db, this.#issuer, this.#position, chunk, {}, about);
    await this.#distribute(rows);
    return rows.length;
  }

  /**
   * Offers rows to all subscribers. If the database fails it offers them to none, and the same rows are read
   * again.
   */
  async #distribute(rows: EventRow[]): Promise<void> {
    const last = rows.at(-1);
    if (!last) return;
    const { db, about } = this.#deps;
    const cursors = new Map<string, Set<string>>();
    for (;;) {
      // A subscriber that joins during the query gets these rows too, so look up its issuance as well.
      const missing = [...this.#queues].flatMap(({ filter: { issuance } }) =>
        issuance === undefined || cursors.has(issuance) ? [] : [issuance],
      );
      if (missing.length === 0) break;
      const found = await about.eventsAbout(db, this.#issuer, rows, [...new Set(missing)]);
      for (const [id, eventCursors] of found) cursors.set(id, eventCursors);
    }
    let offered = 0;
    // A subscriber that joins during this loop gets the rows too, and skips those that it has read already.
    for (const queue of this.#queues) {
      for (const row of rows) queue.offer(row, cursors);
      if (++offered % subscribersPerTurn === 0) await setImmediate();
    }
    this.#position = last.cursor;
  }
}
