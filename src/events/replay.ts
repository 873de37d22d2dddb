import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { appendEvents, type NewEvent } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';
import type { Judge } from './append-delivery.ts';
import { type DeliveryReading, parseEntry } from './parse-entry.ts';

export interface ReplayOptions {
  db: Db;
  issuer: Address;
  /** Position in the log; events after it are replayed. */
  after: string;
  reading: DeliveryReading;
  judge: Judge;
}

export interface Replayed {
  events: number;
  /** Of those that were UNRECOGNIZED, how many are understood now. */
  recognized: number;
}

/** A delivery's worth at a time: whoever delivers meanwhile waits no longer than for another delivery. */
const chunk = 250;

/**
 * Judges the deliveries of a log once more. They settle what they are about, as they did when they came; what was
 * UNRECOGNIZED and is understood by now is added to the log under its type, where subscribers see it. What was
 * done already stays as it is, so that a replay may be repeated at will.
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

async function replayChunk(trx: Db, after: string, { issuer, reading, judge }: ReplayOptions) {
  await lockLog(trx, issuer);
  const rows = await deliveriesAfter(trx, issuer, after);
  const again = rows.map((row) => readAgain(row, reading));
  const judged = rows.length > 0 ? await judge(trx, issuer, again) : [];
  const added = judged.flatMap((event, i) => toAdd(rows[i] as EventRow, event));
  const stored = await appendEvents(trx, issuer, added);
  return { rows, recognized: stored.filter(({ dedupe }) => !dedupe.endsWith(':told')).length };
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

/** What a row said when it came; by today's table, if nobody understood it then. */
function readAgain(row: EventRow, reading: DeliveryReading): NewEvent {
  const replayed = { receivedAt: row.received_at, understood: row.type !== 'UNRECOGNIZED' };
  if (!replayed.understood) return { ...parseEntry(row.kind, row.raw, reading), replayed };
  const { type, kind, source, dedupe, message, raw } = row;
  const ids = { externalId: row.external_id, tokenId: row.token_id, collection: row.collection_address };
  return { type, kind, source, dedupe, message, raw, ...ids, replayed };
}

/** A row keeps its place, which readers have passed: what subscribers have not heard yet goes to the end. */
function toAdd(row: EventRow, { replayed: _, ...event }: NewEvent): NewEvent[] {
  if (event.visible === false || event.type === 'UNRECOGNIZED') return [];
  if (row.type === 'UNRECOGNIZED') return [{ ...event, dedupe: `${row.dedupe}:${event.type}` }];
  const settles = event.entry !== undefined && (event.type === 'SRR_ISSUED' || event.type === 'SRR_FAILED');
  return row.visible || !settles ? [] : [{ ...event, dedupe: `${row.dedupe}:told` }];
}
