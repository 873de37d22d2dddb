import type { Address } from '@srr-gateway/common/address';
import { type RawBuilder, sql } from 'kysely';
import { type EntryKey, entryKeyText } from '../model/entry-key.ts';
import type { EventType } from '../model/event-type.ts';
import { type RecordKey, recordKeyText } from '../model/record.ts';
import { anyOf } from './any-of.ts';
import type { Db, EventRow } from './tables.ts';

// Queries of the event log for `issuance/`, in its own transactions. They are here because `issuance/` cannot
// import `events/`, which owns the log.

/**
 * SQL: the reported outcomes of entries, with `batch` and `"entryIndex"`: events linked to an entry, and unlinked ones
 * since `since` with an entry's token id.
 * @param entries Selects issuance_id, index, batch, external_id, token_id and collection_address of the entries.
 */
const outcomesOf = (issuer: Address, entries: RawBuilder<unknown>, since: Date) => sql`
  with entry as (${entries})
  select event.*, entry.batch, entry.index as "entryIndex"
  from entry join gateway.event on event.issuance_id = entry.issuance_id and event.entry_index = entry.index
  where event.issuer = ${issuer} and event.type in ('SRR_ISSUED', 'SRR_FAILED')
  union all
  select event.*, entry.batch, entry.index as "entryIndex"
  from entry join gateway.event on event.token_id = entry.token_id
  where event.issuer = ${issuer} and event.issuance_id is null and event.type in ('SRR_ISSUED', 'SRR_FAILED')
    and (event.external_id is null or event.external_id = entry.external_id)
    and (event.collection_address is null or event.collection_address = entry.collection_address)
    and event.received_at >= ${since}`;

/** The reported outcomes of entries (see `outcomesOf`), in the order of the log. */
export async function reportedOutcomes(
  trx: Db,
  issuer: Address,
  entries: RawBuilder<unknown>,
  since: Date,
): Promise<(EventRow & { entryIndex: number })[]> {
  const { rows } = await sql<EventRow & { entryIndex: number }>`
    select * from (${outcomesOf(issuer, entries, since)}) as reported order by cursor`.execute(trx);
  return rows;
}

/**
 * The batches whose entries (see `outcomesOf`) have failures that did not count, all of them reported before `before`.
 * Subscribers may have seen such a failure by its token id.
 */
export async function batchesWithHeldFailures(
  db: Db,
  issuer: Address,
  entries: RawBuilder<unknown>,
  { since, before }: { since: Date; before: Date },
): Promise<number[]> {
  const { rows } = await sql<{ batch: number }>`
    select batch from (${outcomesOf(issuer, entries, since)}) as reported
    where type = 'SRR_FAILED' and (issuance_id is null or not visible)
    group by batch having max(received_at) <= ${before}`.execute(db);
  return rows.map(({ batch }) => batch);
}

/** The outcome of an entry whose token id is known. */
interface TokenOutcome extends EntryKey {
  type: EventType;
  externalId: string;
  tokenId: string;
  /** An event that names another collection is about another record: token ids are unique only within a contract. */
  collection: Address | null;
  /** Earlier events are about an earlier record. */
  sentSince: Date;
}

/**
 * Links events that subscribers have seen by token id alone to their entries. Returns these entries by their
 * `entryKeyText`.
 */
export async function linkOutcomes(trx: Db, issuer: Address, outcomes: TokenOutcome[]): Promise<Set<string>> {
  const { rows } = await sql<EntryKey>`
    update gateway.event as event
    set issuance_id = (one->>'issuanceId')::uuid, entry_index = (one->>'index')::int,
        external_id = one->>'externalId'
    from jsonb_array_elements(${JSON.stringify(outcomes)}::jsonb) as one
    where event.issuer = ${issuer} and event.token_id = one->>'tokenId' and event.type = one->>'type'
      and event.visible and event.issuance_id is null and event.external_id is null
      and (event.collection_address is null or event.collection_address = one->>'collection')
      and event.received_at >= (one->>'sentSince')::timestamptz
    returning event.issuance_id as "issuanceId", event.entry_index as index`.execute(trx);
  return new Set(rows.map(entryKeyText));
}

/** An outcome that a delivery reported. A field that the delivery does not name is null. */
export interface ReportedOutcome {
  type: EventType;
  externalId: string | null;
  tokenId: string;
  collection: Address | null;
}

/** The indexes of those outcomes that subscribers have seen already. */
export async function indexesOfPublished(
  trx: Db,
  issuer: Address,
  outcomes: ReportedOutcome[],
): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select distinct place::int - 1 as place
    from jsonb_array_elements(${JSON.stringify(outcomes)}::jsonb) with ordinality as listed (one, place)
    join gateway.event as known on known.issuer = ${issuer} and known.type = one->>'type'
      and known.token_id = one->>'tokenId'
    where known.visible
      and (known.external_id is null or one->>'externalId' is null or known.external_id = one->>'externalId')
      and (known.collection_address is null or one->>'collection' is null
        or known.collection_address = one->>'collection')`.execute(trx);
  return new Set(rows.map(({ place }) => place));
}

/** The external ids that events name together with this record's token id. */
export async function externalIdsOfRecord(
  db: Db,
  issuer: Address,
  { tokenId, collection }: RecordKey,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('event')
    .select('external_id')
    .distinct()
    .where('issuer', '=', issuer)
    .where('token_id', '=', tokenId)
    .where('external_id', 'is not', null)
    .where(sql<boolean>`coalesce(collection_address, ${collection}) is not distinct from ${collection}`)
    .execute();
  return new Set(rows.map(({ external_id }) => external_id as string));
}

/**
 * The externalIds under which deliveries report these records as issued, by `recordKeyText`. Records that no delivery
 * names are absent. A record has one externalId, so several contradict each other.
 */
export async function externalIdsOfIssued(
  db: Db,
  issuer: Address,
  records: readonly RecordKey[],
): Promise<Map<string, Set<string>>> {
  if (records.length === 0) return new Map();
  const rows = await db
    .selectFrom('event')
    .select(['token_id', 'collection_address', 'external_id'])
    .distinct()
    .where('issuer', '=', issuer)
    .where('type', '=', 'SRR_ISSUED')
    .where('token_id', '=', anyOf(records.map(({ tokenId }) => tokenId)))
    .where('external_id', 'is not', null)
    .execute();
  const byToken = Map.groupBy(rows, (row) => row.token_id);
  return new Map(
    records.flatMap((record) => {
      const named = (byToken.get(record.tokenId) ?? []).filter(
        (row) => row.collection_address === null || row.collection_address === record.collection,
      );
      const names = named.map((row) => row.external_id as string);
      return names.length > 0 ? [[recordKeyText(record), new Set(names)]] : [];
    }),
  );
}

/** Events that subscribers have seen about the creation of a collection, since `since`, oldest first. */
export function collectionEvents(
  trx: Db,
  issuer: Address,
  address: Address | null,
  since: Date,
): Promise<EventRow[]> {
  return trx
    .selectFrom('event')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('collection_address', '=', address)
    .where('type', 'in', ['COLLECTION_CREATED', 'COLLECTION_FAILED'])
    .where('visible', '=', true)
    .where('received_at', '>=', since)
    .orderBy('cursor')
    .execute();
}
