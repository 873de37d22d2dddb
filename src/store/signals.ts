import { EventEmitter } from 'node:events';
import type { Database } from '@srr-gateway/common/database/database';
import { sql } from 'kysely';
import type { Db } from './tables.ts';

/**
 * `events`: an issuer's event log grew. `issuance`, `collection`: an issuance or the creation of a collection
 * changed. `due`: a row of a table became due.
 */
export type Topic = 'events' | 'issuance' | 'collection' | 'due';

const channel = 'srr_gateway';

/**
 * Wake-ups between the workers and subscribers of one database, in this process and others, by PostgreSQL's
 * NOTIFY and one listening connection. A wake-up only says "look again" and carries no data, so a lost or
 * repeated one does no harm.
 */
export class Signals {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #unlisten: () => Promise<void> = async () => {};

  static async open(database: Database): Promise<Signals> {
    const signals = new Signals();
    signals.#unlisten = await database.listen(channel, (payload) => {
      if (payload === undefined) signals.#emitter.emit('*');
      else signals.#emitter.emit(payload);
    });
    return signals;
  }

  /** Wakes the waiters of a topic and key when the transaction of `db` commits. */
  static async send(db: Db, topic: Topic, key: string): Promise<void> {
    await sql`select pg_notify(${channel}, ${`${topic}:${key}`})`.execute(db);
  }

  /** Calls `wake` at each signal and when some may have been missed. Returns a function that ends it. */
  on(topic: Topic, key: string, wake: () => void): () => void {
    const name = `${topic}:${key}`;
    this.#emitter.on(name, wake).on('*', wake);
    return () => this.#emitter.off(name, wake).off('*', wake);
  }

  /**
   * Yields at once, then after each signal or after `pollMs` (the most that a lost wake-up costs), until
   * `signal` is aborted. Signals that come while the consumer is busy count as one.
   */
  async *ticks(topic: Topic, key: string, signal: AbortSignal, pollMs: number): AsyncGenerator<void> {
    let pending = true;
    let wake = () => {};
    const off = this.on(topic, key, () => {
      pending = true;
      wake();
    });
    const onAbort = () => wake();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        if (!pending)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, pollMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        pending = false;
        if (!signal.aborted) yield;
      }
    } finally {
      off();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#unlisten();
  }
}
