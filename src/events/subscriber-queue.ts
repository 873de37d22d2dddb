import type { EventRow } from '../store/tables.ts';
import { type CursorsByIssuance, type EventFilter, matches } from './event-filter.ts';

/**
 * Bounded queue of live events for one subscriber. It closes when it overflows, and the subscriber then reads the
 * log again.
 */
export class SubscriberQueue {
  readonly filter: EventFilter;
  readonly #capacity: number;
  readonly #onClose: (queue: SubscriberQueue) => void;
  readonly #signal: AbortSignal;
  #rows: EventRow[] = [];
  #open = true;
  #wake = () => {};

  constructor(
    filter: EventFilter,
    capacity: number,
    signal: AbortSignal,
    onClose: (queue: SubscriberQueue) => void,
  ) {
    this.filter = filter;
    this.#capacity = capacity;
    this.#onClose = onClose;
    this.#signal = signal;
    // A subscriber that has left does not call `take` again, so close the queue here.
    signal.addEventListener('abort', this.close);
  }

  /** Adds a row that matches the filter, or closes the queue when it is full. */
  offer(row: EventRow, cursors: CursorsByIssuance): void {
    if (!this.#open || !matches(this.filter, row, cursors)) return;
    if (this.#rows.length >= this.#capacity) this.close();
    else this.#rows.push(row);
    this.#wake();
  }

  /** Returns all queued rows, and waits if there are none; undefined when the queue is closed. */
  async take(): Promise<EventRow[] | undefined> {
    while (this.#open && this.#rows.length === 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#rows.length === 0) return undefined;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  readonly close = (): void => {
    if (!this.#open) return;
    this.#open = false;
    this.#signal.removeEventListener('abort', this.close);
    this.#onClose(this);
    this.#wake();
  };
}
