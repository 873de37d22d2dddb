import type { EventRow } from '../store/tables.ts';
import { type CursorsByIssuance, type EventFilter, matches } from './event-filter.ts';

/** Bounded queue of live events for one subscriber. On overflow it closes, and the subscriber reads the log again. */
export class SubscriberQueue {
  readonly filter: EventFilter;
  readonly #capacity: number;
  readonly #leave: (queue: SubscriberQueue) => void;
  readonly #signal: AbortSignal;
  #rows: EventRow[] = [];
  #open = true;
  #wake = () => {};

  constructor(
    filter: EventFilter,
    capacity: number,
    signal: AbortSignal,
    leave: (queue: SubscriberQueue) => void,
  ) {
    this.filter = filter;
    this.#capacity = capacity;
    this.#leave = leave;
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
    // Check `#open` first, which an abort clears too: `signal.aborted` is slow to read.
    if (this.#rows.length === 0 || (!this.#open && this.#signal.aborted)) return undefined;
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  readonly close = (): void => {
    if (!this.#open) return;
    this.#open = false;
    this.#signal.removeEventListener('abort', this.close);
    this.#leave(this);
    this.#wake();
  };
}
