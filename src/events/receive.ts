import { type Selectable, sql } from 'kysely';
import type { Address } from '../lib/address.ts';
import { Signals } from '../store/signals.ts';
import type { Db } from '../store/store.ts';
import type { EventTable } from '../store/tables.ts';
import type { ParsedEvent } from './parse-delivery.ts';

export type EventRow = Selectable<EventTable>;

/** Runs inside the storing transaction: what an event changes is committed with it, or not at all. */
export type OnStored = (trx: Db, events: EventRow[]) => Promise<void>;

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
    await trx
      .insertInto('event_head')
      .values({ issuer, cursor: '0' })
      .onConflict((conflict) => conflict.column('issuer').doNothing())
      .execute();
    const head = await trx
      .selectFrom('event_head')
      .select('cursor')
      .where('issuer', '=', issuer)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const fresh = await withoutRepeated(trx, issuer, events);
    if (fresh.length === 0) return { stored: 0, repeated: events.length };
    const rows = await insertRows(trx, issuer, BigInt(head.cursor), fresh);
    await trx
      .updateTable('event_head')
      .set({ cursor: String(BigInt(head.cursor) + BigInt(fresh.length)) })
      .where('issuer', '=', issuer)
      .execute();
    await onStored(trx, rows);
    await Signals.send(trx, 'events', issuer);
    return { stored: fresh.length, repeated: events.length - fresh.length };
  });
}

/** Under the head's lock nobody else adds to this log, so what is seen here is what there is. */
async function withoutRepeated(trx: Db, issuer: Address, events: ParsedEvent[]): Promise<ParsedEvent[]> {
  const unique = [...new Map(events.map((event) => [event.dedupe, event])).values()];
  const known = await trx
    .selectFrom('event')
    .select('dedupe')
    .where('issuer', '=', issuer)
    .where(
      'dedupe',
      'in',
      unique.map((event) => event.dedupe),
    )
    .execute();
  const seen = new Set(known.map((row) => row.dedupe));
  return unique.filter((event) => !seen.has(event.dedupe));
}

async function insertRows(
  trx: Db,
  issuer: Address,
  head: bigint,
  events: ParsedEvent[],
): Promise<EventRow[]> {
  return trx
    .insertInto('event')
    .values(
      events.map((event, i) => ({
        issuer,
        cursor: String(head + BigInt(i + 1)),
        type: event.type,
        kind: event.kind,
        source: 'WEBHOOK' as const,
        dedupe: event.dedupe,
        external_id: event.externalId,
        token_id: event.tokenId,
        collection_address: event.collection,
        message: event.message,
        raw: sql<string>`${JSON.stringify(event.raw)}::jsonb` as unknown as string,
      })),
    )
    .returningAll()
    .execute();
}
