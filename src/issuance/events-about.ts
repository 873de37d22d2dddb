import type { Address } from '@srr-gateway/common/address';
import { type RawBuilder, sql } from 'kysely';
import type { Db, EventRow } from '../store/tables.ts';

/** SQL: the ids of an issuance's entries that events may name, with their columns' names. */
export const entryIds = (issuer: Address, issuance: string): RawBuilder<unknown> => sql`
  select external_id, token_id, collection_address from gateway.issuance_entry
  where issuance_id = ${issuance} and issuer = ${issuer}`;

/** The cursors of the events about the entries of each issuance, by the rule of the log's own filter. */
export async function eventsAbout(
  db: Db,
  issuer: Address,
  events: readonly EventRow[],
  issuances: readonly string[],
): Promise<Map<string, Set<string>>> {
  const about = new Map(issuances.map((id) => [id, new Set<string>()]));
  for (const { issuance_id, cursor } of events) if (issuance_id) about.get(issuance_id)?.add(cursor);
  const eventIds = events.flatMap(({ issuance_id, cursor, external_id, token_id, collection_address }) =>
    issuance_id ? [] : [{ cursor, external_id, token_id, collection_address }],
  );
  if (eventIds.length === 0 || issuances.length === 0) return about;
  const { rows } = await sql<{ cursor: string; issuance: string }>`
    select event->>'cursor' as cursor, entry.issuance_id as issuance
    from jsonb_array_elements(${JSON.stringify(eventIds)}::jsonb) as event
    join gateway.issuance_entry as entry on entry.issuer = ${issuer}
      and (entry.external_id = event->>'external_id' or entry.token_id = event->>'token_id'
        and coalesce(entry.collection_address = event->>'collection_address', true))
    where entry.issuance_id = any(${issuances}::uuid[])`.execute(db);
  for (const { cursor, issuance } of rows) about.get(issuance)?.add(cursor);
  return about;
}
