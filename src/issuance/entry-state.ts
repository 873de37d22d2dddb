import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { type EntryKey, entryKeyText } from '../model/entry-key.ts';
import type { Db } from '../store/store.ts';
import type { BatchStatus, EntryStatus } from '../store/tables.ts';
import type { DecisionState } from './decision-table.ts';

/** The columns of an entry that settling needs. Payloads are large, so they are not read. */
export interface EntryState extends EntryKey {
  batch: number;
  externalId: string;
  status: EntryStatus;
  tokenId: string | null;
  /** The collection that the record is in or will be in; null: the registry. */
  collection: Address | null;
  batchStatus: BatchStatus;
  /** When its request was first sent: its record cannot be on chain earlier. */
  sentSince: Date;
  /** When its request was last sent. */
  lastSentAt: Date | null;
}

/** State of an entry in `decision-table.ts`. */
export function decisionStateOf({ status, batchStatus }: EntryState): DecisionState {
  if (status === 'ISSUED') return 'ISSUED';
  switch (batchStatus) {
    case 'PENDING':
      return 'UNSENT';
    case 'SENDING':
    case 'UNKNOWN':
      return 'SENT';
    case 'ACCEPTED':
      return status === 'FAILED' ? 'FAILED' : 'ACCEPTED';
    case 'REJECTED':
      return 'REFUSED';
  }
}

/** SQL condition: the row of `entry` has one of these keys. */
export const hasKeyAmong = (keys: readonly EntryKey[]) => sql<boolean>`(entry.issuance_id, entry.index) in (
  select (key->>'issuanceId')::uuid, (key->>'index')::int
  from jsonb_array_elements(${JSON.stringify(keys)}::jsonb) as key)`;

/** The states of an issuer's entries, keyed by `entryKeyText`. Entries that do not exist are left out. */
export async function entryStates(
  db: Db,
  issuer: Address,
  keys: EntryKey[],
): Promise<Map<string, EntryState>> {
  if (keys.length === 0) return new Map();
  const rows = await statesOf(db, issuer).where(hasKeyAmong(keys)).execute();
  return new Map(rows.map((row) => [entryKeyText(row), row]));
}

/** The states of all entries of one batch, in their order. */
export function batchStates(
  db: Db,
  issuer: Address,
  batch: { issuance_id: string; index: number },
): Promise<EntryState[]> {
  return statesOf(db, issuer)
    .where('entry.issuance_id', '=', batch.issuance_id)
    .where('entry.batch', '=', batch.index)
    .orderBy('entry.index')
    .execute();
}

const statesOf = (db: Db, issuer: Address) =>
  db
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance', 'issuance.id', 'entry.issuance_id')
    .innerJoin('issuance_batch as sent', (join) =>
      join.onRef('sent.issuance_id', '=', 'entry.issuance_id').onRef('sent.index', '=', 'entry.batch'),
    )
    .select([
      'entry.issuance_id as issuanceId',
      'entry.index',
      'entry.batch',
      'entry.external_id as externalId',
      'entry.status',
      'entry.token_id as tokenId',
      // Without a token id, use the collection of the request, where the record will be.
      sql<Address | null>`case when entry.token_id is null
        then coalesce(entry.collection_address, entry.payload->>'collectionAddress')
        else entry.collection_address end`.as('collection'),
      'sent.status as batchStatus',
      'sent.last_sent_at as lastSentAt',
      sql<Date>`coalesce(sent.first_sent_at, issuance.created_at)`.as('sentSince'),
    ])
    .where('entry.issuer', '=', issuer);
