import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { anyOf } from '../../store/any-of.ts';
import type { Db } from '../../store/store.ts';
import type { BatchStatus } from '../../store/tables.ts';
import type { EntryRow } from '../flow.ts';

/** An entry that was sent. */
export interface SentEntry extends EntryRow {
  /** When its batch was first sent. */
  sentSince: Date;
}

/** Query of an issuer's entries with their batches. The caller sees to it that these were sent. */
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
 * Entries of an issuer with works of these artists that were sent and have no token id yet: a record on chain may be
 * that of one of them.
 */
export function competingEntries(
  db: Db,
  issuer: Address,
  artists: readonly string[],
  batchStatuses: readonly BatchStatus[] = ['SENDING', 'UNKNOWN', 'ACCEPTED'],
): Promise<SentEntry[]> {
  const lowered = artists.map((artist) => artist.toLowerCase());
  return sentEntries(db, issuer)
    .where('entry.token_id', 'is', null)
    .where('entry.status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
    .where('batch.status', 'in', batchStatuses)
    .where(sql`lower(entry.payload->>'artistAddress')`, '=', anyOf(lowered))
    .execute();
}
