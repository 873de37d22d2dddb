import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { type EntryKey, entryKeyText } from '../../model/entry-key.ts';
import { anyOf } from '../../store/any-of.ts';
import type { Db } from '../../store/store.ts';
import type { BatchStatus } from '../../store/tables.ts';
import type { EntryRow } from '../flow.ts';

/** An entry that was sent. */
export interface SentEntry extends EntryRow {
  /** When its batch was first sent. */
  sentSince: Date;
}

/** Query of an issuer's entries with their batches. The caller must restrict it to sent batches. */
export const sentEntries = (db: Db, issuer: Address) =>
  db
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance_batch as batch', (join) =>
      join.onRef('batch.issuance_id', '=', 'entry.issuance_id').onRef('batch.index', '=', 'entry.batch'),
    )
    .selectAll('entry')
    .select('batch.first_sent_at as sentSince')
    .$narrowType<{ sentSince: Date }>()
    .where('entry.issuer', '=', issuer);

/**
 * Sent entries of an issuer with works of these artists and no token id yet: a record on chain may belong to one of
 * them. Only issuances under way have such entries, so only those are searched.
 */
export function competingEntries(
  db: Db,
  issuer: Address,
  artists: readonly string[],
  batchStatuses: readonly BatchStatus[] = ['SENDING', 'UNKNOWN', 'ACCEPTED'],
): Promise<SentEntry[]> {
  const lowered = artists.map((artist) => artist.toLowerCase());
  return sentEntries(db, issuer)
    .innerJoin('issuance', 'issuance.id', 'entry.issuance_id')
    .where('issuance.issuer', '=', issuer)
    .where('issuance.completed_at', 'is', null)
    .where('entry.token_id', 'is', null)
    .where('entry.status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
    .where('batch.status', 'in', batchStatuses)
    .where(sql`lower(entry.payload->>'artistAddress')`, '=', anyOf(lowered))
    .execute();
}

/**
 * Those failed entries whose content another entry has too, as `entryKeyText`. Only an entry that was sent and has
 * no token id counts, because a record on chain may belong to it. Searches only issuances under way, as
 * `competingEntries` does.
 */
export async function contestedEntries(db: Db, issuer: Address, entries: EntryKey[]): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const { rows } = await sql<EntryKey>`
    select entry.issuance_id as "issuanceId", entry.index
    from jsonb_array_elements(${JSON.stringify(entries)}::jsonb) as key
    join gateway.issuance_entry as entry
      on entry.issuance_id = (key->>'issuanceId')::uuid and entry.index = (key->>'index')::int
    where exists (
      select from gateway.issuance
      join gateway.issuance_entry as other on other.issuance_id = issuance.id
      join gateway.issuance_batch as sent on sent.issuance_id = other.issuance_id and sent.index = other.batch
      where issuance.issuer = ${issuer} and issuance.completed_at is null
        and other.token_id is null
        and other.status in ('PENDING', 'WAITING_FOR_MINING') and sent.status in ('SENDING', 'UNKNOWN', 'ACCEPTED')
        and lower(other.payload->>'artistAddress') = lower(entry.payload->>'artistAddress')
        and other.payload->'metadata' = entry.payload->'metadata'
    )`.execute(db);
  return new Set(rows.map(entryKeyText));
}
