import type { Address } from '@srr-gateway/common/address';
import { type RawBuilder, sql } from 'kysely';
import type { Db, EventRow } from '../store/tables.ts';

/**
 * SQL condition: an event with these values, which names no entry, is about the row of `entry` in the outer query. Two
 * collections may have a token with the same id. Either side may lack the collection's address.
 */
const isAbout = (
  externalId: RawBuilder<string>,
  tokenId: RawBuilder<string>,
  collection: RawBuilder<string>,
) => sql<boolean>`(entry.external_id = ${externalId} or entry.token_id = ${tokenId}
    and coalesce(entry.collection_address = ${collection}, true))`;

/**
 * SQL condition: the row of `event` in the outer query is about an entry of this issuance. An outcome is about the
 * entry that it settled alone: a record that is issued again has the same external id, or token.
 */
export const isAboutIssuance = (
  issuer: Address,
  issuance: string,
): RawBuilder<boolean> => sql<boolean>`coalesce(event.issuance_id = ${issuance}, exists (
  select from gateway.issuance_entry as entry
  where entry.issuance_id = ${issuance} and entry.issuer = ${issuer}
    and ${isAbout(sql`event.external_id`, sql`event.token_id`, sql`event.collection_address`)}))`;

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
      and ${isAbout(sql`event->>'external_id'`, sql`event->>'token_id'`, sql`event->>'collection_address'`)}
    where entry.issuance_id = any(${issuances}::uuid[])`.execute(db);
  for (const { cursor, issuance } of rows) about.get(issuance)?.add(cursor);
  return about;
}
