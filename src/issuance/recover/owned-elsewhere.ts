import { sql } from 'kysely';
import { type RecordKey, recordKeyOfRow, recordKeyText } from '../../model/record.ts';
import type { Db } from '../../store/store.ts';
import type { EntryRow, IssuanceKey } from '../flow.ts';

/**
 * Which of these records belong to an entry already, as `recordKeyText`. The token of a failed record is
 * free: when the record is issued again, it gets the same one.
 */
export async function takenTokens(
  db: Db,
  issuer: IssuanceKey['issuer'],
  tokens: RecordKey[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('issuance_entry')
    .select(['token_id', 'collection_address'])
    .where('issuer', '=', issuer)
    .where('token_id', '=', sql<string>`any(${tokens.map(({ tokenId }) => tokenId)}::text[])`)
    .where('status', 'in', ['WAITING_FOR_MINING', 'ISSUED'])
    .execute();
  return new Set(rows.map((row) => recordKeyText(recordKeyOfRow(row))));
}

/**
 * Whether another issuance has a record for one of these externalIds; the service takes each only once. `FAILED`:
 * it could not be mined, and the service may have taken its externalId again.
 */
export async function ownerElsewhere(
  db: Db,
  { id, issuer }: IssuanceKey,
  entries: EntryRow[],
): Promise<'RECORD' | 'FAILED' | undefined> {
  const externalIds = entries.map(({ external_id }) => external_id);
  const owners = await db
    .selectFrom('issuance_entry')
    .select('status')
    .distinct()
    .where('issuer', '=', issuer)
    .where('issuance_id', '!=', id)
    .where('external_id', '=', sql<string>`any(${externalIds}::text[])`)
    .where('token_id', 'is not', null)
    .execute();
  if (owners.length === 0) return undefined;
  return owners.every(({ status }) => status === 'FAILED') ? 'FAILED' : 'RECORD';
}
