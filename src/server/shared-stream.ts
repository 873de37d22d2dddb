import type { ServerResponse } from 'node:http';
import { eventStreamHeaders, keepAlive, untilDrained } from '../lib/event-stream.ts';

/** The results of an operation: one, or one for each event. Nothing is executed before they are read. */
export interface Results {
  payloads: AsyncIterable<unknown>;
  /** Stops the operation: nobody reads further results. */
  end(): void;
}

/** The place of one operation. A later operation under the same id has another slot. */
export interface Slot {
  readonly id: string;
  results?: Results;
}

/**
 * One client's event stream, which carries the results of all its operations. Reserved first, opened once.
 */
export class SharedStream {
  /** By the operation ids that the client chose. */
  readonly #slots = new Map<string, Slot>();
  readonly #response = Promise.withResolvers<ServerResponse>();
  readonly #onOpen: () => void;
  readonly #onEnd: () => void;
  #state: 'reserved' | 'open' | 'ended' = 'reserved';
  #drained: Promise<void> | undefined;

  constructor(on: { open(): void; end(): void }) {
    this.#onOpen = on.open;
    this.#onEnd = on.end;
    // If nobody waits when the stream ends, the rejection must not count as unhandled.
    this.#response.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get size(): number {
    return this.#slots.size;
  }

  has(id: string): boolean {
    return this.#slots.has(id);
  }

  open(res: ServerResponse): void {
    this.#state = 'open';
    this.#onOpen();
    res.writeHead(200, eventStreamHeaders).write(':\n\n');
    keepAlive(res);
    res.once('close', () => this.end());
    this.#response.resolve(res);
  }

  /** Reserves the id for an operation that is still being prepared. */
  reserve(id: string): Slot {
    const slot = { id };
    this.#slots.set(id, slot);
    return slot;
  }

  /** Frees the id, unless another operation has taken it. */
  release(slot: Slot): void {
    if (this.#slots.get(slot.id) === slot) this.#slots.delete(slot.id);
  }

  /**
   * Sends the results until they end. The next one is read only after the last was sent, so the rest waits at
   * its source.
   */
  async run(slot: Slot, results: Results): Promise<void> {
    try {
      // The operation may have been stopped, or the client may have left, while it was prepared.
      if (!this.#isWanted(slot)) return;
      slot.results = results;
      await this.#response.promise;
      if (!this.#isWanted(slot)) return;
      for await (const payload of results.payloads) {
        if (!this.#isWanted(slot)) return;
        await this.#send('next', { id: slot.id, payload });
      }
      if (this.#isWanted(slot)) await this.#send('complete', { id: slot.id });
    } finally {
      results.end();
      this.release(slot);
    }
  }

  stop(id: string): void {
    const slot = this.#slots.get(id);
    this.#slots.delete(id);
    slot?.results?.end();
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#response.reject(new Error('the event stream has ended'));
    for (const id of [...this.#slots.keys()]) this.stop(id);
    this.#onEnd();
  }

  #isWanted(slot: Slot): boolean {
    return this.#state !== 'ended' && this.#slots.get(slot.id) === slot;
  }

  /** Writes at once, so that the bytes count as unread, then waits until the reader has taken them. */
  async #send(event: 'next' | 'complete', data: object): Promise<void> {
    const res = await this.#response.promise;
    if (res.destroyed || res.writableEnded) throw new Error('the event stream has ended');
    // JSON has no raw line breaks, so one data line holds it.
    res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    while (res.writableNeedDrain && !res.destroyed) await this.#untilDrained(res);
  }

  /** All operations share one wait, so that the response has one drain listener and not one for each. */
  #untilDrained(res: ServerResponse): Promise<void> {
    this.#drained ??= untilDrained(res).finally(() => {
      this.#drained = undefined;
    });
    return this.#drained;
  }
}
