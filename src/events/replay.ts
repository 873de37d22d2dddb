import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { isRecordOutcome } from '../model/event-type.ts';
import { appendEvents, copyDedupe, isCopy, type NewEvent } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';
import type { ApplyDeliveries } from './append-deliveries.ts';
import { type DeliveryReading, parseEntry } from './parse-entry.ts';

/** Which log to replay, from which position, and how to parse and apply its deliveries. */
export interface ReplayOptions {
  db: Db;
  issuer: Address;
  /** Position in the log; events after it are replayed. */
  after: string;
  reading: DeliveryReading;
  apply: ApplyDeliveries;
}

export interface ReplayResult {
  events: number;
  /** Events that were UNRECOGNIZED and are recognised now. */
  recognized: number;
}

/**
 * Events in one transaction: as many as the largest delivery has. A new delivery needs the same lock, and so waits
 * no longer than it would for another delivery.
 */
const chunk = 250;

/**
 * Applies an issuer's stored deliveries again, as if they arrived now. A delivery that was UNRECOGNIZED and is
 * recognised now is appended under its type, so that subscribers get it. A replay is idempotent.
 */
export async function replayEvents(options: ReplayOptions): Promise<ReplayResult> {
  const total: ReplayResult = { events: 0, recognized: 0 };
  for (let position = options.after; ; ) {
    const { rows, recognized } = await options.db
      .transaction()
      .execute((trx) => replayChunk(trx, position, options));
    total.events += rows.length;
    total.recognized += recognized;
    position = rows.at(-1)?.cursor ?? position;
    // The loop also reads the events that it appended. It ends, because those append nothing more.
    if (rows.length < chunk) return total;
  }
}

async function replayChunk(trx: Db, after: string, { issuer, reading, apply }: ReplayOptions) {
  await lockLog(trx, issuer);
  const rows = await deliveriesAfter(trx, issuer, after);
  const events = rows.map((row) => toEvent(row, reading));
  const applied = rows.length > 0 ? await apply(trx, issuer, events) : [];
  const unseen = applied.flatMap((event, i) => toAppend(rows[i] as EventRow, event));
  const appended = await appendEvents(trx, issuer, unseen);
  return { rows, recognized: appended.filter(({ dedupe }) => !isCopy(dedupe)).length };
}

function deliveriesAfter(trx: Db, issuer: Address, after: string): Promise<EventRow[]> {
  return trx
    .selectFrom('event')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('cursor', '>', after)
    .where('source', '=', sql.lit('WEBHOOK'))
    .orderBy('cursor')
    .limit(chunk)
    .execute();
}

/** Turns a row back into an event. Parses UNRECOGNIZED ones again, with the types known today. */
function toEvent(row: EventRow, reading: DeliveryReading): NewEvent {
  const replayed = { receivedAt: row.received_at, understood: row.type !== 'UNRECOGNIZED' };
  if (!replayed.understood) return { ...parseEntry(row.kind, row.raw, reading), replayed };
  const { type, kind, source, dedupe, message, raw } = row;
  const ids = { externalId: row.external_id, tokenId: row.token_id, collection: row.collection_address };
  return { type, kind, source, dedupe, message, raw, ...ids, replayed };
}

/**
 * The event to append for a row that subscribers have not seen. They have passed the row's position, so the event
 * goes to the end of the log. Empty when there is nothing to append.
 */
function toAppend(row: EventRow, { replayed: _, ...event }: NewEvent): NewEvent[] {
  if (event.visible === false || event.type === 'UNRECOGNIZED') return [];
  if (row.type === 'UNRECOGNIZED') return [{ ...event, dedupe: `${row.dedupe}:${event.type}` }];
  const settles = event.entry !== undefined && isRecordOutcome(event.type);
  return row.visible || !settles ? [] : [{ ...event, dedupe: copyDedupe(row.dedupe) }];
}
