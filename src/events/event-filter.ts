import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { EventType } from '../model/event-type.ts';
import type { Db } from '../store/store.ts';
import type { EventRow } from '../store/tables.ts';

/** Conditions on an event, all of which must hold. An absent one matches every event, an empty list none. */
export interface EventFilter {
  types?: EventType[] | undefined;
  externalIds?: string[] | undefined;
  tokenIds?: string[] | undefined;
  collection?: Address | undefined;
  /** Only events about the entries of this issuance. */
  issuance?: string | undefined;
}

/** Reads an issuer's visible events after a position that match a filter, oldest first. */
export function selectEvents(
  db: Db,
  issuer: Address,
  after: string,
  limit: number,
  filter: EventFilter,
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
  // Pass lists as arrays: an empty one matches nothing, and one of any length is a single parameter.
  if (types) query = query.where('type', '=', sql<EventType>`any(${types}::text[])`);
  if (externalIds) query = query.where('external_id', '=', sql<string>`any(${externalIds}::text[])`);
  if (tokenIds) query = query.where('token_id', '=', sql<string>`any(${tokenIds}::text[])`);
  if (collection) query = query.where('collection_address', '=', collection);
  if (issuance !== undefined)
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('issuance_entry as entry')
          .select('entry.index')
          .where('entry.issuance_id', '=', issuance)
          .where('entry.issuer', '=', issuer)
          .where((inner) =>
            inner.or([
              inner('entry.external_id', '=', inner.ref('event.external_id')),
              inner('entry.token_id', '=', inner.ref('event.token_id')),
            ]),
          ),
      ),
    );
  return query.execute();
}

/** For each issuance id, the positions of the events about its entries. */
export type AboutIssuances = ReadonlyMap<string, ReadonlySet<string>>;

/** Applies the filter to a row in memory. `about` has what only the database knows: an issuance's events. */
export function matches(filter: EventFilter, row: EventRow, about: AboutIssuances): boolean {
  const { types, externalIds, tokenIds, collection, issuance } = filter;
  const among = (list: readonly string[] | undefined, value: string | null) =>
    !list || (value !== null && list.includes(value));
  return (
    among(types, row.type) &&
    among(externalIds, row.external_id) &&
    among(tokenIds, row.token_id) &&
    (!collection || row.collection_address === collection) &&
    (issuance === undefined || about.get(issuance)?.has(row.cursor) === true)
  );
}

/** Finds out which of the issuer's rows are about entries of which of these issuances, in one query. */
export async function aboutIssuances(
  db: Db,
  issuer: Address,
  rows: readonly EventRow[],
  issuances: readonly string[],
): Promise<Map<string, Set<string>>> {
  const about = new Map(issuances.map((id) => [id, new Set<string>()]));
  if (rows.length === 0 || issuances.length === 0) return about;
  const { rows: pairs } = await sql<{ cursor: string; issuance: string }>`
    select event.cursor, entry.issuance_id as issuance
    from gateway.event join gateway.issuance_entry as entry on entry.issuer = event.issuer
      and (entry.external_id = event.external_id or entry.token_id = event.token_id)
    where event.issuer = ${issuer}
      and event.cursor = any(${rows.map(({ cursor }) => cursor)}::bigint[])
      and entry.issuance_id = any(${issuances}::uuid[])`.execute(db);
  for (const { cursor, issuance } of pairs) about.get(issuance)?.add(cursor);
  return about;
}
