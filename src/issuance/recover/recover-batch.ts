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
 * What the subgraph shows of a batch. `FOUND`: one of its records, so the batch was accepted. `CONTESTED`: a
 * record that may belong to another issuance. `UNREAD`: a record whose document no IPFS gateway delivers.
 * `MISSING`: none, as far as the subgraph is synced.
 */
export interface Search {
  state: 'FOUND' | 'CONTESTED' | 'UNREAD' | 'MISSING';
  indexedUntil?: Date | undefined;
}

/**
 * Asks the subgraph for the records of a batch whose response was lost, and settles those that it finds.
 * Requests are atomic, so one record proves that the whole batch was accepted.
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
    // One search of an issuer at a time, so that two do not take the same record.
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

/** Pairs of an entry and a record that fit only each other. Where several fit, deliveries must decide. */
function unambiguous(entries: EntryRow[], records: MintedRecord[], cids: FileCids) {
  return entries.flatMap((entry) => {
    const [record, ...others] = records.filter((one) => isSameRecord(entry, one, cids));
    if (!record || others.length > 0) return [];
    const wanting = entries.filter((one) => isSameRecord(one, record, cids));
    return wanting.length === 1 ? [{ entry, record }] : [];
  });
}

/**
 * The records that may also be those of another issuance's entry: it was sent, has no token id yet, and has
 * the same content. For an accepted batch only accepted entries compete.
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
