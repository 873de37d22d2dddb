import type { Address } from '@srr-gateway/common/address';
import { type RawBuilder, sql } from 'kysely';
import type { EventType } from '../model/event-type.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';

/** Conditions on an event, all of which must hold. An absent one matches every event, an empty list none. */
export interface EventFilter {
  types?: EventType[] | undefined;
  externalIds?: string[] | undefined;
  tokenIds?: string[] | undefined;
  collection?: Address | undefined;
  /** Only events about this issuance or its entries. */
  issuance?: string | undefined;
}

/** Finds the events of an issuance. `issuance/` implements it, because it has the table of entries. */
export interface AboutIssuance {
  /** A query for `external_id`, `token_id` and `collection_address` of its entries. */
  entryIds(issuer: Address, issuance: string): RawBuilder<unknown>;
  /** For each of these issuances, the cursors of the given events that are about its entries. */
  eventsAbout(
    db: Db,
    issuer: Address,
    events: readonly EventRow[],
    issuances: readonly string[],
  ): Promise<Map<string, Set<string>>>;
}

/** Reads an issuer's visible events after a position that match a filter, oldest first. */
export function selectEvents(
  db: Db,
  issuer: Address,
  after: string,
  limit: number,
  filter: EventFilter,
  about: AboutIssuance,
): Promise<EventRow[]> {
  let query = db
    .selectFrom('event')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('cursor', '>', after)
    .where('visible', '=', true)
    .orderBy('cursor')
    .limit(limit);
  const { types, externalIds, tokenIds, collection, issuance } = filter;
  if (types) query = query.where('type', '=', anyOf(types));
  if (externalIds) query = query.where('external_id', '=', anyOf(externalIds));
  if (tokenIds) query = query.where('token_id', '=', anyOf(tokenIds));
  if (collection) query = query.where('collection_address', '=', collection);
  if (issuance !== undefined)
    query = query.where(isAbout(issuer, issuance, about.entryIds(issuer, issuance)));
  return query.execute();
}

/**
 * SQL condition: the row of `event` is about this issuance or an entry of it. An outcome is only about the entry that it
 * settled, because a record that is issued again has the same external id or token. Other events are found from the
 * entries by the indexes of both ids, because a log may have millions. Two collections may have a token with the same
 * id, and the event or the entry may lack the collection's address.
 */
const isAbout = (issuer: Address, issuance: string, entries: RawBuilder<unknown>) => sql<boolean>`
  event.cursor in (
    select about.cursor from gateway.event as about
      where about.issuer = ${issuer} and about.issuance_id = ${issuance}
    union all
    select about.cursor from (${entries}) as entry
      join gateway.event as about on about.external_id = entry.external_id
      where about.issuer = ${issuer} and about.issuance_id is null
    union all
    select about.cursor from (${entries}) as entry
      join gateway.event as about on about.token_id = entry.token_id
        and coalesce(about.collection_address = entry.collection_address, true)
      where about.issuer = ${issuer} and about.issuance_id is null)`;

/** For each issuance id, the cursors of the events about its entries. */
export type CursorsByIssuance = ReadonlyMap<string, ReadonlySet<string>>;

/** Applies the filter to a row in memory. `cursors` comes from the database: a row does not show its issuance. */
export function matches(filter: EventFilter, row: EventRow, cursors: CursorsByIssuance): boolean {
  const { types, externalIds, tokenIds, collection, issuance } = filter;
  const among = (list: readonly string[] | undefined, value: string | null) =>
    !list || (value !== null && list.includes(value));
  return (
    among(types, row.type) &&
    among(externalIds, row.external_id) &&
    among(tokenIds, row.token_id) &&
    (!collection || row.collection_address === collection) &&
    (issuance === undefined || cursors.get(issuance)?.has(row.cursor) === true)
  );
}
