import { EventEmitter } from 'node:events';
import { runDetached } from '@srr-gateway/common/async-context';
import type { Channel, OnMessages } from '@srr-gateway/common/channel';
import { sleep } from '@srr-gateway/common/time';
import { noteForCommit } from './after-commit.ts';
import type { Db } from './tables.ts';

/**
 * `events`: an issuer's event log grew. `issuance`, `collection`: an issuance or the creation of a collection
 * changed. `due`: a row of a table became due.
 */
export type Topic = 'events' | 'issuance' | 'collection' | 'due';

/**
 * Signals that come within this time are sent together. It is as short as a commit to a disk, so nobody notices
 * it, and a replica sends at most 200 times a second. The first after a pause is sent at once.
 */
const gatherMs = 5;

/**
 * Wake-ups between the workers and subscribers of one database, in this process and, over a channel, in
 * others. A wake-up only says "look again" and carries no data, so a lost or repeated one does no harm.
 *
 * Each wake-up is sent, whether or not another replica waits for it. To know that, replicas would have to announce
 * every subscriber that comes and goes, which costs more than a NOTIFY that writes nothing.
 */
export class Signals {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #pending = new Set<string>();
  #channel: Channel | undefined;
  #sending: Promise<void> | undefined;

  /** Connects to other processes. Until then, and without it, only waiters of this process are woken. */
  async connect(open: (onMessages: OnMessages) => Promise<Channel>): Promise<void> {
    this.#channel = await open((names = ['*']) => {
      for (const name of names) this.#wake(name);
    });
  }

  /** Checks for a listener first: names come from outside too, and `emit` throws for an unheard `error`. */
  #wake(name: string): void {
    if (this.#emitter.listenerCount(name) > 0) this.#emitter.emit(name);
  }

  /**
   * Wakes the waiters of a topic and key after the transaction of `db` has committed. Not within it: NOTIFY
   * locks the server's queue until the commit is on disk, and commits would wait for each other. A crash in
   * between costs a poll interval.
   */
  static send(db: Db, topic: Topic, key: string): Promise<void> {
    return noteForCommit(db, `${topic}:${key}`);
  }

  /** Wakes the waiters of this process at once, and those of other processes with the next message. */
  readonly committed = (names: ReadonlySet<string>): void => {
    for (const name of names) {
      this.#wake(name);
      this.#pending.add(name);
    }
    this.#sending ??= runDetached(() => this.#sendPending());
  };

  async #sendPending(): Promise<void> {
    while (this.#pending.size > 0) {
      const names = [...this.#pending];
      this.#pending.clear();
      await Promise.all([this.#channel?.send(names), sleep(gatherMs)]);
    }
    this.#sending = undefined;
  }

  /** Calls `wake` at each signal, and when signals may have been missed. Returns a function that unsubscribes. */
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
    const unsubscribe = this.on(topic, key, () => {
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
      unsubscribe();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Sends the pending signals, and closes the connection to other processes. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#channel?.close();
  }
}
