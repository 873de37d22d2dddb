import { sql } from 'kysely';
import type { MintedRecord } from '../model/record.ts';
import type { Db } from '../store/store.ts';
import type { BatchRow, EntryRow, IssuanceRow } from './flow.ts';
import { fileCids, isSameRecord } from './match-record.ts';

/**
 * The records that an entry of another issuance may be waiting for as well: it was sent, its token id is not
 * known yet, and it asked for the same, so the chain does not say whose record it is. For an accepted batch
 * only accepted entries compete.
 */
export async function wantedByCompetingEntries(
  db: Db,
  { issuance_id: id, status }: Pick<BatchRow, 'issuance_id' | 'status'>,
  issuer: IssuanceRow['issuer'],
  records: MintedRecord[],
): Promise<Set<MintedRecord>> {
  const artists = records.flatMap(({ artist }) => artist?.toLowerCase() ?? []);
  const rivals: EntryRow[] = await db
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance_batch as batch', (join) =>
      join.onRef('batch.issuance_id', '=', 'entry.issuance_id').onRef('batch.index', '=', 'entry.batch'),
    )
    .selectAll('entry')
    .where('entry.issuer', '=', issuer)
    .where('entry.issuance_id', '!=', id)
    .where('entry.token_id', 'is', null)
    .where('entry.status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
    .where('batch.status', 'in', status === 'ACCEPTED' ? ['ACCEPTED'] : ['SENDING', 'UNKNOWN', 'ACCEPTED'])
    .where(sql`lower(entry.payload->>'artistAddress')`, '=', sql<string>`any(${artists}::text[])`)
    .execute();
  const cids = await fileCids(db, issuer, rivals);
  return new Set(records.filter((record) => rivals.some((rival) => isSameRecord(rival, record, cids))));
}
