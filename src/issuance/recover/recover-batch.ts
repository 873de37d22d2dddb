import { sql } from 'kysely';
import { type MintedRecord, recordKeyText } from '../../model/record.ts';
import { lockLog } from '../../store/lock-log.ts';
import type { Db } from '../../store/store.ts';
import { entriesOf } from '../batch-state.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, EntryRow, Files, IssuanceRow, StepContext } from '../flow.ts';
import { settleIndexed } from '../outcomes/settle-indexed.ts';
import { clockSlackMs } from '../subgraph-lag.ts';
import { lockOwned, transition } from '../transition.ts';
import { type FileCids, fileCids, isSameRecord, mayBeUnread } from './match-record.ts';
import { takenTokens } from './owned-elsewhere.ts';

/**
 * What the chain shows of a batch. `FOUND`: a record of it is there, so the batch is accepted. `CONTESTED`: a
 * record is there that may belong to another issuance. `UNREAD`: a record is there whose document no gateway
 * delivers. `MISSING`: none is there as far as the subgraph is synced.
 */
export interface Search {
  state: 'FOUND' | 'CONTESTED' | 'UNREAD' | 'MISSING';
  indexedUntil?: Date | undefined;
}

/**
 * Looks on chain for the records of a batch whose answer was lost, and settles those that it finds. One of
 * them proves that the whole atomic request was accepted.
 * @throws GatewayError when the subgraph cannot be asked.
 */
export async function recoverBatch(context: StepContext, batch: BatchRow): Promise<Search> {
  const { deps, issuance, signal } = context;
  const lost = (await entriesOf(deps.db, batch)).filter((entry) => entry.token_id === null);
  if (lost.length === 0 || batch.first_sent_at === null) return { state: 'MISSING' };
  const since = new Date(batch.first_sent_at.getTime() - clockSlackMs);
  const { minted, indexedUntil } = await deps.mintedSince(issuance.issuer, since, signal);
  checkpoint('subgraph-asked', issuance.id);
  const cids = await fileCids(deps.files, deps.db, issuance.issuer, lost);
  const matching = minted.filter((record) => lost.some((entry) => isSameRecord(entry, record, cids)));
  if (matching.length === 0) {
    const unread = minted.filter((record) => lost.some((entry) => mayBeUnread(entry, record)));
    const taken = await takenTokens(deps.db, issuance.issuer, unread);
    const state = unread.every((record) => taken.has(recordKeyText(record))) ? 'MISSING' : 'UNREAD';
    return { state, indexedUntil };
  }
  const state = await deps.db.transaction().execute(async (trx) => {
    // One search of an issuer at a time: two must not find the same record free.
    await lockLog(trx, issuance.issuer);
    const row = await lockOwned(trx, context);
    const taken = await takenTokens(trx, issuance.issuer, matching);
    const free = matching.filter((record) => !taken.has(recordKeyText(record)));
    if (free.length === 0) return 'MISSING';
    const contested = await wantedByCompetingEntries(trx, deps.files, batch, issuance.issuer, free);
    const own = free.filter((record) => !contested.has(record));
    if (own.length === 0) return 'CONTESTED';
    if (row.status === 'OUTCOME_UNKNOWN')
      await transition(trx, row, 'SUBMITTING', 'its records are on chain, so the request was accepted');
    await settleIndexed(trx, row.issuer, unambiguous(lost, own, cids), deps.timeouts.failureWatch, batch);
    return 'FOUND';
  });
  if (state !== 'FOUND') return { state, indexedUntil };
  checkpoint('subgraph-recorded', issuance.id);
  return { state: 'FOUND' };
}

/**
 * Pairs of an entry and a record that fit each other and nothing else. Where several fit, the webhooks tell
 * them apart.
 */
function unambiguous(entries: EntryRow[], records: MintedRecord[], cids: FileCids) {
  return entries.flatMap((entry) => {
    const [record, ...others] = records.filter((one) => isSameRecord(entry, one, cids));
    if (!record || others.length > 0) return [];
    const wanting = entries.filter((one) => isSameRecord(one, record, cids));
    return wanting.length === 1 ? [{ entry, record }] : [];
  });
}

/**
 * The records that an entry of another issuance may be waiting for as well: it was sent, its token id is not
 * known yet, and it asked for the same, so the chain does not say whose record it is. For an accepted batch
 * only accepted entries compete.
 */
async function wantedByCompetingEntries(
  trx: Db,
  files: Files,
  { issuance_id: id, status }: Pick<BatchRow, 'issuance_id' | 'status'>,
  issuer: IssuanceRow['issuer'],
  records: MintedRecord[],
): Promise<Set<MintedRecord>> {
  const artists = records.flatMap(({ artist }) => artist?.toLowerCase() ?? []);
  const competing: EntryRow[] = await trx
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
  const cids = await fileCids(files, trx, issuer, competing);
  return new Set(records.filter((record) => competing.some((other) => isSameRecord(other, record, cids))));
}
