import type { Address } from '@srr-gateway/common/address';
import { type RawBuilder, sql } from 'kysely';
import type { Db, EventRow } from '../store/tables.ts';

/**
 * SQL condition: an event with this collection may be about the row of `entry`. Two collections may have a token with the
 * same id. Either side may lack the collection's address.
 */
const sameCollection = (collection: RawBuilder<string>) =>
  sql<boolean>`coalesce(entry.collection_address = ${collection}, true)`;

/**
 * SQL condition: the row of `event` in the outer query is about an entry of this issuance. An outcome is about the entry
 * that it settled alone: a record that is issued again has the same external id, or token. The other events are found
 * from the entries, by the indexes of both ids: a log may have millions.
 */
export const isAboutIssuance = (
  issuer: Address,
  issuance: string,
): RawBuilder<boolean> => sql<boolean>`event.cursor in (
  select about.cursor from gateway.event as about
    where about.issuance_id = ${issuance} and about.issuer = ${issuer}
  union all
  select about.cursor from gateway.issuance_entry as entry
    join gateway.event as about on about.external_id = entry.external_id
    where entry.issuance_id = ${issuance} and entry.issuer = ${issuer}
      and about.issuer = ${issuer} and about.issuance_id is null
  union all
  select about.cursor from gateway.issuance_entry as entry
    join gateway.event as about on about.token_id = entry.token_id
      and ${sameCollection(sql`about.collection_address`)}
    where entry.issuance_id = ${issuance} and entry.issuer = ${issuer}
      and about.issuer = ${issuer} and about.issuance_id is null)`;

/** For each of these issuances of the issuer, the cursors of the events about its entries. */
export async function eventsAbout(
  db: Db,
  issuer: Address,
  events: readonly EventRow[],
  issuances: readonly string[],
): Promise<Map<string, Set<string>>> {
  const about = new Map(issuances.map((id) => [id, new Set<string>()]));
  for (const { issuance_id, cursor } of events) if (issuance_id) about.get(issuance_id)?.add(cursor);
  const named = events.flatMap(({ issuance_id, cursor, external_id, token_id, collection_address }) =>
    issuance_id ? [] : [{ cursor, external_id, token_id, collection_address }],
  );
  if (named.length === 0 || issuances.length === 0) return about;
  const { rows } = await sql<{ cursor: string; issuance: string }>`
    select event->>'cursor' as cursor, entry.issuance_id as issuance
    from jsonb_array_elements(${JSON.stringify(named)}::jsonb) as event
    join gateway.issuance_entry as entry on entry.issuer = ${issuer}
      and (entry.external_id = event->>'external_id' or entry.token_id = event->>'token_id'
        and ${sameCollection(sql`event->>'collection_address'`)})
    where entry.issuance_id = any(${issuances}::uuid[])`.execute(db);
  for (const { cursor, issuance } of rows) about.get(issuance)?.add(cursor);
  return about;
}
