import { sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';
import type { EventType } from '../store/tables.ts';
import { selectEvents } from './event-filter.ts';
import { type ParsedEvent, parseEntry } from './parse-delivery.ts';
import { addEvents, type EventRow, type OnStored } from './receive.ts';

export interface ReplayOptions {
  db: Db;
  issuer: Address;
  /** Position in the log; events after it are replayed. */
  after: string;
  /** Kinds of the service and what they are taken as, over the built-in table. */
  kinds: Record<string, EventType>;
  onStored: OnStored;
}

export interface Replayed {
  events: number;
  /** Of those that were UNRECOGNIZED, how many are understood now. */
  recognized: number;
}

/** A delivery's worth at a time: whoever delivers meanwhile waits no longer than for another delivery. */
const chunk = 250;

/**
 * Does once more what the events of a log did when they came: they settle what they are about. What was
 * UNRECOGNIZED and is of a kind that is known by now is added to the log under its type, where subscribers
 * see it. Everything that was done already stays as it is, so that a replay may be repeated at will.
 */
export async function replayEvents(options: ReplayOptions): Promise<Replayed> {
  const done: Replayed = { events: 0, recognized: 0 };
  for (let position = options.after; ; ) {
    const { rows, recognized } = await options.db
      .transaction()
      .execute((trx) => replayChunk(trx, position, options));
    done.events += rows.length;
    done.recognized += recognized;
    position = rows.at(-1)?.cursor ?? position;
    // What was added lies behind, is understood, and adds nothing more: this ends.
    if (rows.length < chunk) return done;
  }
}

async function replayChunk(trx: Db, after: string, { issuer, kinds, onStored }: ReplayOptions) {
  const head = await lockLog(trx, issuer);
  const rows = await selectEvents(trx, issuer, after, chunk, {});
  const pertinent = await withoutOlder(trx, issuer, rows);
  const again = pertinent.flatMap((row) => understood(row, kinds));
  const added = await addEvents(trx, issuer, head, again);
  const settling = [...pertinent, ...added];
  if (settling.length > 0) await onStored(trx, issuer, settling);
  return { rows, recognized: added.length };
}

/** An event that says more by today's table than by that of the day it came. */
function understood(row: EventRow, kinds: Record<string, EventType>): ParsedEvent[] {
  if (row.type !== 'UNRECOGNIZED') return [];
  const event = parseEntry(row.kind, row.raw, kinds);
  return event.type === 'UNRECOGNIZED' ? [] : [{ ...event, dedupe: `${row.dedupe}:${event.type}` }];
}

/**
 * Leaves out events that are older than an issuance with the same ids: a record that failed may have been
 * issued again under its token, and its old failure says nothing about the new issuance.
 */
async function withoutOlder(trx: Db, issuer: Address, rows: EventRow[]): Promise<EventRow[]> {
  const { rows: older } = await sql<{ cursor: string }>`
    select event.cursor from gateway.event
    where event.issuer = ${issuer} and event.cursor = any(${rows.map(({ cursor }) => cursor)}::bigint[])
      and exists (
        select from gateway.issuance_entry as entry
        join gateway.issuance on issuance.id = entry.issuance_id
        where entry.issuer = event.issuer and issuance.created_at > event.received_at
          and (entry.token_id = event.token_id or entry.external_id = event.external_id)
      )`.execute(trx);
  const left = new Set(older.map(({ cursor }) => cursor));
  return rows.filter(({ cursor }) => !left.has(cursor));
}
