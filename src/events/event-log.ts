import { setImmediate } from 'node:timers/promises';
import type { Address } from '@srr-gateway/common/address';
import { bulkhead } from 'cockatiel';
import { GatewayError } from '../model/errors.ts';
import type { EventRow } from '../store/tables.ts';
import { beginning, cursorOfOtherLog, encodeCursor, isBeyond } from './cursor.ts';
import { type EventFilter, selectEvents } from './event-filter.ts';
import { retryUntilAvailable } from './retry-until-available.ts';
import type { SubscriberQueue } from './subscriber-queue.ts';
import { Tail, type TailDeps, type TailSubscription } from './tail.ts';

export type { EventFilter } from './event-filter.ts';

export interface EventLogOptions extends TailDeps {
  /** How many events a live subscriber may be behind before it gets SUBSCRIBER_LAGGED. */
  maxLag: number;
  /**
   * Rows queued in memory for a slow subscriber. All subscribers share the row objects. 1,000 when absent.
   */
  capacity?: number;
}

/** Rows in one read of a replay: the most that a replaying subscriber holds in memory. */
const chunk = 200;
/**
 * Replays that read at once. Hundreds of subscribers come back together after a restart, and their reads must not
 * keep the pool's connections from deliveries.
 */
const maxReads = 3;
/** Events of a replay that are sent before the event loop gets a turn: other requests must not wait for replays. */
const eventsPerTurn = 20;
/** Four deliveries of the largest size (250 entries): a burst that a healthy subscriber can take. */
const defaultCapacity = 1_000;

/** Reads one issuer's events, once or as a live stream. */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #replays = bulkhead(maxReads, Number.POSITIVE_INFINITY);
  readonly #tails = new Map<Address, Promise<Tail>>();

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Events after position `after`, oldest first. */
  read(issuer: Address, after: string, limit: number, filter: EventFilter): Promise<EventRow[]> {
    const { db, about } = this.#options;
    return selectEvents(db, issuer, after, limit, filter, about);
  }

  /**
   * Returns the position of the newest event.
   * @throws GatewayError when `position` is beyond it: a subscriber that waits there would miss events.
   */
  async checkPosition(issuer: Address, position: string): Promise<string> {
    const head = await this.head(issuer);
    if (BigInt(position) > BigInt(head)) throw cursorOfOtherLog();
    return head;
  }

  /** The position of the newest event; `beginning` when the log is empty. */
  async head(issuer: Address): Promise<string> {
    const row = await this.#options.db
      .selectFrom('event_head')
      .select('cursor')
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    return row?.cursor ?? beginning;
  }

  /**
   * Replays the events after `after` (undefined: none), then goes on live until `signal` aborts. Once the
   * promise resolves, the subscriber misses no event.
   * @throws GatewayError when `after` is beyond the end of the log.
   * @throws GatewayError SUBSCRIBER_LAGGED, from the generator, when the subscriber takes events too slowly.
   */
  async follow(
    issuer: Address,
    after: string | undefined,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<EventRow>> {
    if (after !== undefined) {
      const head = await this.checkPosition(issuer, after);
      return this.#replayThenLive(after, head, issuer, filter, signal);
    }
    const { queue, since } = await this.#join(issuer, filter, signal);
    return this.#replayThenLive(since, since, issuer, filter, signal, queue);
  }

  /** @param knownHead A position of the log's end that was read before. */
  async *#replayThenLive(
    start: string,
    knownHead: string,
    issuer: Address,
    filter: EventFilter,
    signal: AbortSignal,
    openQueue?: SubscriberQueue,
  ): AsyncGenerator<EventRow> {
    let position = start;
    let head = knownHead;
    let queue = openQueue;
    try {
      for (;;) {
        if (!queue) {
          position = yield* this.#replay(position, head, issuer, filter, signal);
          ({ queue } = await this.#whenAvailable(signal, () => this.#join(issuer, filter, signal)));
          // The queue starts at the join: read what was committed between the replay and the join.
          position = yield* this.#replay(position, head, issuer, filter, signal);
        }
        for (let rows = await queue.take(); rows; rows = await queue.take())
          // The replay may have yielded some rows already.
          for (const row of rows.filter(({ cursor }) => isBeyond(cursor, position))) {
            yield row;
            position = row.cursor;
          }
        if (signal.aborted) return;
        queue = undefined;
        head = await this.#refuseLagging(issuer, position, signal);
      }
    } catch (error) {
      // The subscriber has left and aborted the read.
      if (!signal.aborted) throw error;
    } finally {
      queue?.close();
    }
  }

  /**
   * Yields the events up to the present end of the log, and returns the position of the last one; `head` if that is
   * later, because the last event that matches may be years before the end.
   */
  async *#replay(
    start: string,
    head: string,
    issuer: Address,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<EventRow, string> {
    for (let position = start; ; ) {
      const rows = await this.#whenAvailable(signal, () =>
        this.#replays.execute(() => {
          signal.throwIfAborted();
          return this.read(issuer, position, chunk, filter);
        }),
      );
      for (const [index, row] of rows.entries()) {
        yield row;
        if (index % eventsPerTurn === 0) await setImmediate();
      }
      position = rows.at(-1)?.cursor ?? position;
      if (rows.length < chunk) return isBeyond(head, position) ? head : position;
    }
  }

  /**
   * Joins the issuer's tail. There is one for each issuer in a process: the first subscriber starts it, and
   * it stops with the last.
   */
  async #join(issuer: Address, filter: EventFilter, signal: AbortSignal): Promise<TailSubscription> {
    const capacity = this.#options.capacity ?? defaultCapacity;
    for (;;) {
      const tail = await (this.#tails.get(issuer) ?? this.#startTail(issuer));
      const subscription = tail.join(filter, capacity, signal);
      if (subscription) return subscription;
    }
  }

  #startTail(issuer: Address): Promise<Tail> {
    const forget = () => this.#tails.delete(issuer);
    const tail = this.head(issuer).then((head) => new Tail(this.#options, issuer, head, forget));
    tail.catch(forget);
    this.#tails.set(issuer, tail);
    return tail;
  }

  /**
   * Ends the subscription if it is more than `maxLag` behind. Otherwise it catches up from the log, whose head this
   * returns.
   */
  async #refuseLagging(issuer: Address, position: string, signal: AbortSignal): Promise<string> {
    const head = await this.#whenAvailable(signal, () => this.head(issuer));
    const behind = BigInt(head) - BigInt(position);
    if (behind <= BigInt(this.#options.maxLag)) return head;
    throw new GatewayError({
      code: 'SUBSCRIBER_LAGGED',
      message: `This subscription is too slow: it is ${behind} events behind. Subscribe again with \`after\` set to the cursor of this error; no event is lost.`,
      cursor: encodeCursor(issuer, position),
    });
  }

  #whenAvailable<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    return retryUntilAvailable(this.#options.log, signal, read);
  }
}
