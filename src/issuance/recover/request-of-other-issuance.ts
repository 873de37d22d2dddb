import { anyOf } from '../../store/any-of.ts';
import type { Db } from '../../store/store.ts';
import type { BatchRow, EntryRow, IssuanceKey } from '../flow.ts';

/**
 * The state of another issuance's request with one of these externalIds, which the service accepts only once.
 *
 * - `ACCEPTED`: the service accepted it, and no failure is known.
 * - `UNKNOWN`: it was sent before this batch and has no answer. Or it was accepted and failed, and the service may
 *   have taken the externalId again.
 */
export async function requestOfOtherIssuance(
  db: Db,
  { issuer }: IssuanceKey,
  batch: BatchRow,
  entries: EntryRow[],
): Promise<'ACCEPTED' | 'UNKNOWN' | undefined> {
  const externalIds = entries.map(({ external_id }) => external_id);
  const others = await db
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance_batch as sent', (join) =>
      join.onRef('sent.issuance_id', '=', 'entry.issuance_id').onRef('sent.index', '=', 'entry.batch'),
    )
    .select(['entry.status', 'sent.status as batchStatus'])
    .distinct()
    .where('entry.issuer', '=', issuer)
    .where('entry.issuance_id', '!=', batch.issuance_id)
    .where('entry.external_id', '=', anyOf(externalIds))
    .where((where) =>
      where.or([
        where('sent.status', '=', 'ACCEPTED'),
        where.and([
          where('sent.status', 'in', ['SENDING', 'UNKNOWN']),
          where('sent.first_sent_at', '<', batch.first_sent_at),
        ]),
      ]),
    )
    .execute();
  if (others.length === 0) return undefined;
  const isAccepted = others.some(
    ({ status, batchStatus }) => batchStatus === 'ACCEPTED' && status !== 'FAILED',
  );
  return isAccepted ? 'ACCEPTED' : 'UNKNOWN';
}
