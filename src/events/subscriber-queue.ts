import type { EventRow } from '../store/tables.ts';
import { type AboutIssuances, type EventFilter, matches } from './event-filter.ts';

/**
 * What one subscriber has yet to take of the events that its issuer's tail hands out. It holds so many rows
 * and no more: one that overflowed takes nothing further, and its subscriber goes back to reading the log.
 */
export class SubscriberQueue {
  readonly filter: EventFilter;
  readonly #places: number;
  readonly #leave: (feed: SubscriberQueue) => void;
  readonly #signal: AbortSignal;
  #rows: EventRow[] = [];
  #open = true;
  #wake = () => {};

  constructor(
    filter: EventFilter,
    places: number,
    signal: AbortSignal,
    leave: (feed: SubscriberQueue) => void,
  ) {
    this.filter = filter;
    this.#places = places;
    this.#leave = leave;
    this.#signal = signal;
    // A subscriber that went away may never ask again.
    signal.addEventListener('abort', this.close);
  }

  offer(row: EventRow, about: AboutIssuances): void {
    if (!this.#open || !matches(this.filter, row, about)) return;
    if (this.#rows.length >= this.#places) this.close();
    else this.#rows.push(row);
    this.#wake();
  }

  /** The rows that wait, or the next that come; undefined when the feed has ended. */
  async take(): Promise<EventRow[] | undefined> {
    while (this.#open && this.#rows.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    // The signal ends the feed, and is itself slow to ask.
    if (this.#rows.length === 0 || (!this.#open && this.#signal.aborted)) return undefined;
    const taken = this.#rows;
    this.#rows = [];
    return taken;
  }

  readonly close = (): void => {
    if (!this.#open) return;
    this.#open = false;
    this.#signal.removeEventListener('abort', this.close);
    this.#leave(this);
    this.#wake();
  };
}
