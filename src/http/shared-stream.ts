import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Proxies cut a silent connection after 30 to 60 s. */
const heartbeatMs = 12_000;

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  // A proxy that collects or compresses an answer holds its events back.
  'content-encoding': 'none',
  'x-accel-buffering': 'no',
};

/** What an operation gives: one result, or one for each event. */
export interface Results {
  payloads: AsyncIterable<unknown>;
  /** Nobody waits for more of them. */
  end(): void;
}

/** One client's event stream, with the results of all its operations. Reserved first, opened once. */
export class SharedStream {
  /** By the client's own ids; undefined while one is only being prepared. */
  readonly #operations = new Map<string, Results | undefined>();
  readonly #response = Promise.withResolvers<ServerResponse>();
  readonly #onEnd: () => void;
  #state: 'reserved' | 'open' | 'ended' = 'reserved';

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    // Nobody may be waiting when it ends.
    this.#response.promise.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get size(): number {
    return this.#operations.size;
  }

  has(id: string): boolean {
    return this.#operations.has(id);
  }

  open(res: ServerResponse): void {
    this.#state = 'open';
    res.writeHead(200, headers).write(':\n\n');
    // A reader that takes nothing must not be given more to hold.
    const beat = setInterval(() => !res.writableNeedDrain && res.write(':\n\n'), heartbeatMs);
    res.once('close', () => {
      clearInterval(beat);
      this.end();
    });
    this.#response.resolve(res);
  }

  /** Keeps the id for an operation that is being prepared. */
  reserve(id: string): void {
    this.#operations.set(id, undefined);
  }

  /** Sends what it gives until it ends, each when the last was taken: the rest waits at its source. */
  async run(id: string, results: Results): Promise<void> {
    // It was stopped, or the client left, while it was prepared.
    if (!this.has(id) || this.#state === 'ended') return results.end();
    this.#operations.set(id, results);
    const isWanted = () => this.#operations.get(id) === results;
    try {
      for await (const payload of results.payloads) if (isWanted()) await this.#send('next', { id, payload });
      if (isWanted()) await this.#send('complete', { id });
    } finally {
      if (isWanted()) this.#operations.delete(id);
    }
  }

  stop(id: string): void {
    const results = this.#operations.get(id);
    this.#operations.delete(id);
    results?.end();
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#response.reject(new Error('the event stream has ended'));
    for (const id of [...this.#operations.keys()]) this.stop(id);
    this.#onEnd();
  }

  async #send(event: 'next' | 'complete', data: object): Promise<void> {
    const res = await this.#response.promise;
    if (res.destroyed || res.writableEnded) throw new Error('the event stream has ended');
    // JSON has no line breaks of its own, so that one data line holds it.
    if (res.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return;
    const left = new AbortController();
    const gone = () => left.abort();
    res.once('close', gone);
    await once(res, 'drain', { signal: left.signal }).finally(() => res.off('close', gone));
  }
}
