import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';
import type { EventRow } from '../store/tables.ts';
import { beginning, encodeCursor, foreignCursor, isBeyond } from './cursor.ts';
import { type EventFilter, selectEvents } from './event-filter.ts';
import { retryUntilAvailable } from './retry-until-available.ts';
import type { SubscriberQueue } from './subscriber-queue.ts';
import { type Joined, Tail, type TailDeps } from './tail.ts';

export type { EventFilter } from './event-filter.ts';

export interface EventLogOptions extends TailDeps {
  /** Events that a live subscriber may be behind before it is told to come back. */
  maxLag: number;
  /** Rows that wait in memory for a slow subscriber; they are shared with everybody who waits for them. */
  places?: number;
}

/** Rows that one read of a replay takes: a subscriber that replays holds no more than this in memory. */
const chunk = 200;
/** Four deliveries of the largest size: a burst that a healthy subscriber takes in its stride. */
const defaultPlaces = 1_000;

/** Reads of one issuer's log, finished or live. */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #tails = new Map<Address, Promise<Tail>>();

  constructor(options: EventLogOptions) {
    this.#options = options;
  }

  /** Events after position `after`, oldest first. */
  read(issuer: Address, after: string, limit: number, filter: EventFilter): Promise<EventRow[]> {
    return selectEvents(this.#options.db, issuer, after, limit, filter);
  }

  /**
   * The position of the newest event, which `position` is not beyond.
   * @throws GatewayError when the log never was so long: whoever waited behind its end would miss events.
   */
  async checkPosition(issuer: Address, position: string): Promise<string> {
    const head = await this.head(issuer);
    if (BigInt(position) > BigInt(head)) throw foreignCursor();
    return head;
  }

  /** The position of the newest event; of an empty log, its beginning. */
  async head(issuer: Address): Promise<string> {
    const row = await this.#options.db
      .selectFrom('event_head')
      .select('cursor')
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    return row?.cursor ?? beginning;
  }

  /**
   * Replays what came after `after` (absent: nothing), then goes on live, until `signal` aborts. It returns
   * once the start is fixed: what happens from then on is the subscriber's to see.
   * @throws GatewayError SUBSCRIBER_LAGGED, from the generator, to a subscriber that takes too slowly.
   */
  async follow(
    issuer: Address,
    after: string | undefined,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<EventRow>> {
    if (after !== undefined) {
      await this.checkPosition(issuer, after);
      return this.#replayThenLive(after, issuer, filter, signal);
    }
    const { feed, since } = await this.#join(issuer, filter, signal);
    return this.#replayThenLive(since, issuer, filter, signal, feed);
  }

  async *#replayThenLive(
    start: string,
    issuer: Address,
    filter: EventFilter,
    signal: AbortSignal,
    joined?: SubscriberQueue,
  ): AsyncGenerator<EventRow> {
    let position = start;
    let feed = joined;
    try {
      for (;;) {
        if (!feed) {
          position = yield* this.#replay(position, issuer, filter, signal);
          ({ feed } = await this.#patiently(signal, () => this.#join(issuer, filter, signal)));
          // What was committed before the joining, and comes by no feed.
          position = yield* this.#replay(position, issuer, filter, signal);
        }
        for (let rows = await feed.take(); rows; rows = await feed.take())
          for (const row of rows) {
            // The end of the replay may have had it already.
            if (!isBeyond(row.cursor, position)) continue;
            yield row;
            position = row.cursor;
          }
        if (signal.aborted) return;
        feed = undefined;
        await this.#refuseLagging(issuer, position, signal);
      }
    } catch (error) {
      // What was cut short for want of a subscriber is nobody's error.
      if (!signal.aborted) throw error;
    } finally {
      feed?.close();
    }
  }

  /** Up to the present end of the log; gives the position it got to. */
  async *#replay(
    start: string,
    issuer: Address,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<EventRow, string> {
    for (let position = start; ; ) {
      const rows = await this.#patiently(signal, () => this.read(issuer, position, chunk, filter));
      yield* rows;
      position = rows.at(-1)?.cursor ?? position;
      if (rows.length < chunk) return position;
      signal.throwIfAborted();
    }
  }

  /** The issuer's one tail in this process, made by its first subscriber and gone with its last. */
  async #join(issuer: Address, filter: EventFilter, signal: AbortSignal): Promise<Joined> {
    const places = this.#options.places ?? defaultPlaces;
    for (;;) {
      const tail = await (this.#tails.get(issuer) ?? this.#startTail(issuer));
      const joined = tail.join(filter, places, signal);
      if (joined) return joined;
    }
  }

  #startTail(issuer: Address): Promise<Tail> {
    const forget = () => this.#tails.delete(issuer);
    const tail = this.head(issuer).then((head) => new Tail(this.#options, issuer, head, forget));
    tail.catch(forget);
    this.#tails.set(issuer, tail);
    return tail;
  }

  /** A subscriber that overflowed and is not far behind catches up by itself. */
  async #refuseLagging(issuer: Address, position: string, signal: AbortSignal): Promise<void> {
    const head = await this.#patiently(signal, () => this.head(issuer));
    const behind = BigInt(head) - BigInt(position);
    if (behind <= BigInt(this.#options.maxLag)) return;
    throw new GatewayError({
      code: 'SUBSCRIBER_LAGGED',
      message: `This subscriber takes events too slowly: it is ${behind} behind. Subscribe again after the cursor given here; nothing is lost.`,
      cursor: encodeCursor(issuer, position),
    });
  }

  #patiently<T>(signal: AbortSignal, read: () => Promise<T>): Promise<T> {
    return retryUntilAvailable(this.#options.log, signal, read);
  }
}
