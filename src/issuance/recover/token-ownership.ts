import type { Address } from '@srr-gateway/common/address';
import { type RecordKey, recordKeyOfRow, recordKeyText } from '../../model/record.ts';
import { anyOf } from '../../store/any-of.ts';
import type { Db } from '../../store/store.ts';

/**
 * The records that belong to an entry already, as `recordKeyText`. The token of a failed record is free, because the
 * record gets the same token when it is issued again.
 * @param isFailedFree False until something shows that the record was accepted again: the failure may not be final.
 */
export async function takenTokens(
  db: Db,
  issuer: Address,
  tokens: RecordKey[],
  isFailedFree = true,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('issuance_entry')
    .select(['token_id', 'collection_address'])
    .where('issuer', '=', issuer)
    .where('token_id', '=', anyOf(tokens.map(({ tokenId }) => tokenId)))
    .where('status', 'in', ['WAITING_FOR_MINING', 'ISSUED', ...(isFailedFree ? [] : (['FAILED'] as const))])
    .execute();
  return new Set(rows.map((row) => recordKeyText(recordKeyOfRow(row))));
}
