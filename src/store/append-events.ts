import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { Signals } from './signals.ts';
import type { Db, EventRow, EventSource, EventType } from './tables.ts';

/** Something that is to be added to an issuer's event log. */
export interface NewEvent {
  type: EventType;
  kind: string;
  source: EventSource;
  /** What it says, hashed: the log takes the same only once, for ever. */
  dedupe: string;
  externalId: string | null;
  tokenId: string | null;
  /** The collection, for events of one and for records in one. */
  collection: Address | null;
  message: string | null;
  raw: Record<string, unknown>;
  /** The issuer's entry that it is about. */
  entry?: { issuanceId: string; index: number } | undefined;
  /** False: it is kept, and no subscriber is told. */
  visible?: boolean;
  /** Of an event that is in the log already and is looked at again; `understood`: it was judged when it came. */
  replayed?: { receivedAt: Date; understood: boolean };
}

/** Those events that the log does not have yet, each once. The log must be locked (`lockLog`). */
export async function withoutStored(trx: Db, issuer: Address, events: NewEvent[]): Promise<NewEvent[]> {
  const unique = new Map(events.map((event) => [event.dedupe, event]));
  if (unique.size === 0) return [];
  const known = await trx
    .selectFrom('event')
    .select('dedupe')
    .where('issuer', '=', issuer)
    .where('dedupe', '=', sql<string>`any(${[...unique.keys()]}::text[])`)
    .execute();
  for (const { dedupe } of known) unique.delete(dedupe);
  return [...unique.values()];
}

/** Adds those events that the log does not have yet. The log must be locked (`lockLog`). */
export async function appendEvents(trx: Db, issuer: Address, events: NewEvent[]): Promise<EventRow[]> {
  return insertEvents(trx, issuer, await withoutStored(trx, issuer, events));
}

/**
 * Adds events behind the log's end, in this order, and wakes its followers when the transaction commits. The log
 * must be locked (`lockLog`), so that cursors are handed out in the order of commits, and must have none of them.
 */
export async function insertEvents(trx: Db, issuer: Address, added: NewEvent[]): Promise<EventRow[]> {
  if (added.length === 0) return [];
  const { cursor: end } = await trx
    .updateTable('event_head')
    .set({ cursor: sql<string>`cursor + ${added.length}` })
    .where('issuer', '=', issuer)
    .returning('cursor')
    .executeTakeFirstOrThrow();
  const start = String(BigInt(end) - BigInt(added.length));
  // One parameter for all of them: a statement takes 65,535 at most.
  const { rows } = await sql<EventRow>`
    insert into gateway.event
      (issuer, cursor, type, kind, source, dedupe, external_id, token_id, collection_address, message, raw,
       visible, issuance_id, entry_index)
    select ${issuer}, ${start}::bigint + place,
      event->>'type', event->>'kind', event->>'source', event->>'dedupe', event->>'externalId',
      event->>'tokenId', event->>'collection', event->>'message', event->'raw',
      coalesce((event->>'visible')::boolean, true),
      (event->'entry'->>'issuanceId')::uuid, (event->'entry'->>'index')::int
    from jsonb_array_elements(${JSON.stringify(added)}::jsonb) with ordinality as added (event, place)
    returning *`.execute(trx);
  if (added.some(({ visible }) => visible !== false)) await Signals.send(trx, 'events', issuer);
  return rows.toSorted((a, b) => Number(BigInt(a.cursor) - BigInt(b.cursor)));
}
