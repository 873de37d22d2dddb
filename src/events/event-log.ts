import { sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import type { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { EventType } from '../store/tables.ts';
import type { EventRow } from './receive.ts';

export interface EventFilter {
  types?: EventType[] | undefined;
  externalIds?: string[] | undefined;
  tokenIds?: string[] | undefined;
  collection?: Address | undefined;
  /** Entries of one issuance. */
  issuance?: string | undefined;
}

/** Rows that one read of a live feed takes: a slow consumer holds no more than this in memory. */
const chunk = 200;
/** What a lost wake-up can cost a subscriber. */
const pollMs = 5_000;

/** Reads of one issuer's log, finished or live. */
export class EventLog {
  readonly #db: Db;
  readonly #signals: Signals;

  constructor(db: Db, signals: Signals) {
    this.#db = db;
    this.#signals = signals;
  }

  /** Events after position `after`, oldest first. */
  read(issuer: Address, after: string, limit: number, filter: EventFilter): Promise<EventRow[]> {
    let query = this.#db
      .selectFrom('event')
      .selectAll()
      .where('issuer', '=', issuer)
      .where('cursor', '>', after)
      .orderBy('cursor')
      .limit(limit);
    const { types, externalIds, tokenIds, collection, issuance } = filter;
    // As arrays: an empty list matches nothing, and one of any length is one parameter.
    if (types) query = query.where('type', '=', sql<EventType>`any(${types}::text[])`);
    if (externalIds) query = query.where('external_id', '=', sql<string>`any(${externalIds}::text[])`);
    if (tokenIds) query = query.where('token_id', '=', sql<string>`any(${tokenIds}::text[])`);
    if (collection) query = query.where('collection_address', '=', collection);
    if (issuance !== undefined)
      query = query.where((where) =>
        where.exists(
          where
            .selectFrom('issuance_entry as entry')
            .select('entry.index')
            .where('entry.issuance_id', '=', issuance)
            .where('entry.issuer', '=', issuer)
            .where((inner) =>
              inner.or([
                inner('entry.external_id', '=', inner.ref('event.external_id')),
                inner('entry.token_id', '=', inner.ref('event.token_id')),
              ]),
            ),
        ),
      );
    return query.execute();
  }

  /** The position of the newest event: where a subscriber without a cursor starts. */
  async head(issuer: Address): Promise<string> {
    const row = await this.#db
      .selectFrom('event_head')
      .select('cursor')
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    return row?.cursor ?? '0';
  }

  /**
   * Replays what came after `after` (absent: nothing), then goes on live, until `signal` aborts. Both
   * halves are the same reading of the log, so there is no seam to lose or repeat an event at.
   */
  async follow(
    issuer: Address,
    after: string | undefined,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<EventRow>> {
    // Fixed before the subscriber hears that it is connected: what happens from then on is its to see.
    return this.#from(after ?? (await this.head(issuer)), issuer, filter, signal);
  }

  async *#from(
    start: string,
    issuer: Address,
    filter: EventFilter,
    signal: AbortSignal,
  ): AsyncGenerator<EventRow> {
    let position = start;
    for await (const _ of this.#signals.ticks('events', issuer, signal, pollMs)) {
      for (;;) {
        const head = await this.head(issuer);
        const rows = await this.read(issuer, position, chunk, filter);
        for (const row of rows) {
          yield row;
          position = row.cursor;
          if (signal.aborted) return;
        }
        if (rows.length < chunk) {
          // What the filter passed over need not be read again; the head was read before the rows.
          if (BigInt(head) > BigInt(position)) position = head;
          break;
        }
      }
    }
  }
}
