import { type Selectable, sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import { lockLog } from '../store/lock-log.ts';
import { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { EventTable } from '../store/tables.ts';
import type { ParsedEvent } from './parse-delivery.ts';

export type EventRow = Selectable<EventTable>;

/** Runs inside the storing transaction: what an event changes is committed with it, or not at all. */
export type OnStored = (trx: Db, issuer: Address, events: EventRow[]) => Promise<void>;

/**
 * Stores a delivery's entries and returns when they are committed. The issuer's head row is locked first,
 * so cursors are handed out in commit order; what is in the log already falls on its unique index.
 */
export async function storeEvents(
  db: Db,
  issuer: Address,
  events: ParsedEvent[],
  onStored: OnStored,
): Promise<{ stored: number; repeated: number }> {
  if (events.length === 0) return { stored: 0, repeated: 0 };
  return db.transaction().execute(async (trx) => {
    const rows = await addEvents(trx, issuer, await lockLog(trx, issuer), events);
    if (rows.length === 0) return { stored: 0, repeated: events.length };
    await onStored(trx, issuer, rows);
    return { stored: rows.length, repeated: events.length - rows.length };
  });
}

/** Adds what is not in the log yet behind its `head`, which is locked, and wakes its followers at the commit. */
export async function addEvents(
  trx: Db,
  issuer: Address,
  head: string,
  events: ParsedEvent[],
): Promise<EventRow[]> {
  const rows = events.length > 0 ? await insertNew(trx, issuer, head, events) : [];
  if (rows.length === 0) return rows;
  await trx
    .updateTable('event_head')
    .set({ cursor: String(BigInt(head) + BigInt(rows.length)) })
    .where('issuer', '=', issuer)
    .execute();
  await Signals.send(trx, 'events', issuer);
  return rows;
}

/**
 * Adds what is not in the log yet. Under the head's lock nobody else adds to it, so what is seen here is
 * what there is. The events travel as one parameter, because a statement takes no more than 65,535.
 */
async function insertNew(trx: Db, issuer: Address, head: string, events: ParsedEvent[]): Promise<EventRow[]> {
  const unique = [...new Map(events.map((event) => [event.dedupe, event])).values()];
  const { rows } = await sql<EventRow>`
    insert into gateway.event
      (issuer, cursor, type, kind, source, dedupe, external_id, token_id, collection_address, message, raw)
    select ${issuer}, ${head}::bigint + row_number() over (order by place),
      event->>'type', event->>'kind', 'WEBHOOK', event->>'dedupe', event->>'externalId',
      event->>'tokenId', event->>'collection', event->>'message', event->'raw'
    from jsonb_array_elements(${JSON.stringify(unique)}::jsonb) with ordinality as delivered (event, place)
    where not exists (
      select from gateway.event as known
      where known.issuer = ${issuer} and known.dedupe = delivered.event->>'dedupe'
    )
    returning *`.execute(trx);
  return rows.toSorted((a, b) => Number(BigInt(a.cursor) - BigInt(b.cursor)));
}
