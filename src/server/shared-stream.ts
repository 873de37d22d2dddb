import type { ServerResponse } from 'node:http';
import { eventStreamHeaders, keepAlive, untilDrained } from '../lib/event-stream.ts';

/** What an operation gives: one result, or one for each event. Nothing is begun before they are asked for. */
export interface Results {
  payloads: AsyncIterable<unknown>;
  /** Nobody waits for more of them. */
  end(): void;
}

/** The place of one operation; another one under the same id has another. */
export interface Slot {
  readonly id: string;
  results?: Results;
}

/** One client's event stream, with the results of all its operations. Reserved first, opened once. */
export class SharedStream {
  /** By the client's own ids. */
  readonly #slots = new Map<string, Slot>();
  readonly #response = Promise.withResolvers<ServerResponse>();
  readonly #onOpen: () => void;
  readonly #onEnd: () => void;
  #state: 'reserved' | 'open' | 'ended' = 'reserved';
  #drained: Promise<void> | undefined;

  constructor(on: { open(): void; end(): void }) {
    this.#onOpen = on.open;
    this.#onEnd = on.end;
    // Nobody may be waiting when it ends.
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

  /** Keeps a place for an operation that is being prepared. */
  reserve(id: string): Slot {
    const slot = { id };
    this.#slots.set(id, slot);
    return slot;
  }

  /** Gives the place up, if it is still its own. */
  release(slot: Slot): void {
    if (this.#slots.get(slot.id) === slot) this.#slots.delete(slot.id);
  }

  /** Sends what it gives until it ends, each when the last was taken: the rest waits at its source. */
  async run(slot: Slot, results: Results): Promise<void> {
    try {
      // It may have been stopped, or the client have left, while it was prepared.
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

  /** What is there is written at once, so that it counts as waiting for its reader; then its source waits too. */
  async #send(event: 'next' | 'complete', data: object): Promise<void> {
    const res = await this.#response.promise;
    if (res.destroyed || res.writableEnded) throw new Error('the event stream has ended');
    // JSON has no line breaks of its own, so that one data line holds it.
    res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    while (res.writableNeedDrain && !res.destroyed) await this.#untilDrained(res);
  }

  /** One wait for all its operations. */
  #untilDrained(res: ServerResponse): Promise<void> {
    this.#drained ??= untilDrained(res).finally(() => {
      this.#drained = undefined;
    });
    return this.#drained;
  }
}
