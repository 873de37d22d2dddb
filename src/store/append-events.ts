import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { EntryKey } from '../model/entry-key.ts';
import type { EventType } from '../model/event-type.ts';
import { anyOf } from './any-of.ts';
import { Signals } from './signals.ts';
import type { Db, EventSource } from './tables.ts';

/** An event to add to an issuer's event log. */
export interface NewEvent {
  type: EventType;
  /** See `EventTable`. */
  kind: string;
  source: EventSource;
  /** Hash of the event's content. The log takes each hash only once, for ever. */
  dedupe: string;
  externalId: string | null;
  tokenId: string | null;
  /** The collection that the event is about, or that its record is in. */
  collection: Address | null;
  message: string | null;
  raw: Record<string, unknown>;
  entry?: EntryKey | undefined;
  /** Id of the issuance that the event is about as a whole. */
  issuance?: string;
  /** False: the event is stored, but subscribers do not get it. */
  visible?: boolean;
  /**
   * Set for an event of the log that is processed again. `understood`: its type was recognised when it arrived.
   */
  replayed?: { receivedAt: Date; understood: boolean };
  /**
   * When the same bytes first arrived. An event with it is not stored again. It is removed from an event that counts
   * for a later request.
   */
  firstReceivedAt?: Date | undefined;
}

const copySuffix = ':told';

/**
 * The `dedupe` of a copy that is appended to the log for subscribers who have passed the position of the event. All
 * copies of an event have the same, so that the log takes only one of them.
 */
export const copyDedupe = (dedupe: string): string => `${dedupe}${copySuffix}`;

export const isCopy = (dedupe: string): boolean => dedupe.endsWith(copySuffix);

const repetitionInfix = ':again:';

/** The `dedupe` of an event whose bytes arrived before, and that now counts for a later request. */
export const repetitionDedupe = (dedupe: string, request: string): string =>
  `${dedupe}${repetitionInfix}${request}`;

export const isRepetition = (dedupe: string): boolean => dedupe.includes(repetitionInfix);

/**
 * Drops duplicates among the events, and splits the others into those that are new to the log and those that it
 * has. The caller holds the log's lock (`lockLog`).
 */
export async function splitStored(
  trx: Db,
  issuer: Address,
  events: NewEvent[],
): Promise<{ fresh: NewEvent[]; repeated: NewEvent[] }> {
  const unique = new Map(events.map((event) => [event.dedupe, event]));
  if (unique.size === 0) return { fresh: [], repeated: [] };
  const known = await trx
    .selectFrom('event')
    .select(['dedupe', 'received_at'])
    .where('issuer', '=', issuer)
    .where('dedupe', '=', anyOf([...unique.keys()]))
    .execute();
  const receivedAt = new Map(known.map((row) => [row.dedupe, row.received_at]));
  const repeated = [...unique.values()].flatMap((event) => {
    const firstReceivedAt = receivedAt.get(event.dedupe);
    return firstReceivedAt ? [{ ...event, firstReceivedAt }] : [];
  });
  return { fresh: [...unique.values()].filter(({ dedupe }) => !receivedAt.has(dedupe)), repeated };
}

/**
 * Adds the events that the log does not have yet, and returns them. The caller holds the log's lock
 * (`lockLog`).
 */
export async function appendEvents(trx: Db, issuer: Address, events: NewEvent[]): Promise<NewEvent[]> {
  const { fresh: added } = await splitStored(trx, issuer, events);
  await insertEvents(trx, issuer, added);
  return added;
}

/**
 * Appends events in this order; the commit wakes the log's subscribers. The caller holds the log's lock
 * (`lockLog`), so that cursors follow the order of commits, and has left out events that the log has.
 */
export async function insertEvents(trx: Db, issuer: Address, added: NewEvent[]): Promise<void> {
  if (added.length === 0) return;
  const visible = added.some((event) => event.visible !== false);
  // One parameter for all events: a statement takes 65,535 parameters at most. The issuer's webhook endpoints
  // become due in the same statement, so that a crash cannot lose an event; a failing endpoint keeps its pause. The
  // update also writes to endpoints that are due already: it locks them, so that a worker that begins now reads the
  // log after the commit.
  const { rows } = await sql<{ woken: boolean }>`
    with head as (
      update gateway.event_head set cursor = cursor + ${added.length} where issuer = ${issuer} returning cursor
    ), appended as (
      insert into gateway.event
        (issuer, cursor, type, kind, source, dedupe, external_id, token_id, collection_address, message, raw,
         visible, issuance_id, entry_index)
      select ${issuer}, head.cursor - ${added.length} + place,
        event->>'type', event->>'kind', event->>'source', event->>'dedupe', event->>'externalId',
        event->>'tokenId', event->>'collection', event->>'message', event->'raw',
        coalesce((event->>'visible')::boolean, true),
        coalesce(event->>'issuance', event->'entry'->>'issuanceId')::uuid, (event->'entry'->>'index')::int
      from head, jsonb_array_elements(${JSON.stringify(added)}::jsonb) with ordinality as added (event, place)
    ), woken as (
      update gateway.webhook_endpoint set has_more = true,
        next_at = case when attempts = 0 then clock_timestamp() else next_at end
      where issuer = ${issuer} and ${visible} and status <> 'DISABLED'
      returning lease_owner
    )
    select exists (select from woken where lease_owner is null) as woken`.execute(trx);
  if (visible) await Signals.send(trx, 'events', issuer);
  if (rows[0]?.woken) await Signals.send(trx, 'due', 'webhook_endpoint');
}
