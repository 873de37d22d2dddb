import { canonicalJson } from '@srr-gateway/common/canonical-json';
import { type MintedRecord, recordKeyText } from '../../model/record.ts';
import { externalIdsOfIssued } from '../../store/events-of-issuance.ts';
import type { Db } from '../../store/store.ts';
import { entriesOf } from '../batch-state.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, EntryRow, Files, StepContext } from '../flow.ts';
import { settleIndexed } from '../outcomes/settle-indexed.ts';
import { clockSlackMs } from '../subgraph-lag.ts';
import { changeWithLog, transition } from '../transition.ts';
import { EntriesByContent, fileCids } from './entries-by-content.ts';
import { competingEntries } from './sent-entries.ts';
import { takenTokens } from './token-ownership.ts';

/**
 * The result of searching the subgraph for a batch. `FOUND`: one of its records, so the batch was accepted.
 * `CONTESTED`: a record that may belong to another request. `UNREAD`: a record whose document no IPFS gateway
 * delivers. `INCOMPLETE`: nothing, but not all records were searched. `MISSING`: nothing, as far as the subgraph is
 * synced.
 */
export interface Search {
  state: 'FOUND' | 'CONTESTED' | 'UNREAD' | 'INCOMPLETE' | 'MISSING';
  indexedUntil?: Date | undefined;
}

/**
 * Searches the subgraph for the records of a batch whose response was lost, and settles those that it finds. Requests
 * are atomic, so one record proves that the whole batch was accepted.
 * @param isProcessed Whether the service seems to have processed the request. If not, the record of an accepted,
 * failed entry still belongs to that entry.
 * @throws GatewayError when the subgraph cannot be queried.
 */
export async function recoverBatch(
  context: StepContext,
  batch: BatchRow,
  isProcessed = batch.status === 'ACCEPTED',
): Promise<Search> {
  const { deps, issuance, signal } = context;
  const lost = (await entriesOf(deps.db, batch)).filter((entry) => entry.token_id === null);
  if (lost.length === 0 || batch.first_sent_at === null) return { state: 'MISSING' };
  const since = new Date(batch.first_sent_at.getTime() - clockSlackMs);
  const { minted, complete, indexedUntil } = await deps.mintedSince(issuance.issuer, since, signal);
  checkpoint('subgraph-asked', issuance.id);
  const cids = await fileCids(deps.files, deps.db, issuance.issuer, lost);
  const byContent = new EntriesByContent(lost, cids);
  const matching = minted.filter((record) => byContent.of(record).length > 0);
  if (matching.length === 0) {
    if (!complete) return { state: 'INCOMPLETE' };
    const unread = minted.filter((record) => byContent.mayFitUnread(record));
    const taken = await takenTokens(deps.db, issuance.issuer, unread);
    const state = unread.every((record) => taken.has(recordKeyText(record))) ? 'MISSING' : 'UNREAD';
    return { state, indexedUntil };
  }
  const state = await settleMatching(context, batch, { lost, byContent, matching, isProcessed });
  if (state === 'TAKEN') return { state: complete ? 'MISSING' : 'INCOMPLETE', indexedUntil };
  if (state === 'CONTESTED') return { state, indexedUntil };
  checkpoint('subgraph-recorded', issuance.id);
  return { state };
}

/**
 * Settles the lost entries by the matching records. `TAKEN`: all of them belong to other entries, at this gateway or
 * elsewhere.
 */
async function settleMatching(
  context: StepContext,
  batch: BatchRow,
  found: {
    lost: EntryRow[];
    byContent: EntriesByContent<EntryRow>;
    matching: MintedRecord[];
    isProcessed: boolean;
  },
): Promise<'TAKEN' | 'CONTESTED' | 'FOUND'> {
  const { deps, issuance } = context;
  const { lost, byContent, matching, isProcessed } = found;
  // The log's lock serializes the searches of an issuer, so that two do not claim the same record.
  return changeWithLog(context, async (trx, row) => {
    const taken = await takenTokens(trx, issuance.issuer, matching, isProcessed);
    const reported = await externalIdsOfIssued(trx, issuance.issuer, matching);
    const isReportedOfOther = (record: MintedRecord) => {
      const names = reported.get(recordKeyText(record));
      return names !== undefined && !lost.some((entry) => names.has(entry.external_id));
    };
    const free = matching.filter((record) => !taken.has(recordKeyText(record)) && !isReportedOfOther(record));
    if (free.length === 0) return 'TAKEN';
    const contested = await wantedByCompetingEntries(trx, deps.files, batch, lost, free);
    const own = free.filter((record) => !contested.has(record));
    if (own.length === 0) return 'CONTESTED';
    // If this batch is accepted, the unknown outcome is another batch's, whose wait must not restart.
    const lostBatch = batch.status === 'ACCEPTED' ? undefined : batch;
    if (lostBatch && row.status === 'OUTCOME_UNKNOWN')
      await transition(trx, row, 'SUBMITTING', 'its records are on chain, so the request was accepted');
    await settleIndexed(trx, row.issuer, unambiguous(byContent, own), deps.timeouts.failureWatch, lostBatch);
    return 'FOUND';
  });
}

/** Pairs of an entry and a record that match only each other. Where several match, deliveries must decide. */
function unambiguous(byContent: EntriesByContent<EntryRow>, records: MintedRecord[]) {
  const pairs = records.flatMap((record) => byContent.of(record).map((entry) => ({ entry, record })));
  const ofEntry = Map.groupBy(pairs, ({ entry }) => entry);
  const ofRecord = Map.groupBy(pairs, ({ record }) => record);
  return pairs.filter(
    ({ entry, record }) => ofEntry.get(entry)?.length === 1 && ofRecord.get(record)?.length === 1,
  );
}

/**
 * The records that may also belong to another request's entry with the same content. For an accepted batch only
 * accepted entries compete. The service accepts an externalId only once, so of equal entries the first counts.
 */
async function wantedByCompetingEntries(
  trx: Db,
  files: Files,
  batch: BatchRow,
  lost: EntryRow[],
  records: MintedRecord[],
): Promise<Set<MintedRecord>> {
  const { issuer } = lost[0] as EntryRow;
  const artists = records.flatMap(({ artist }) => artist ?? []);
  const statuses = batch.status === 'ACCEPTED' ? (['ACCEPTED'] as const) : undefined;
  const competing = await competingEntries(trx, issuer, artists, statuses);
  const ownPayloads = new Set(lost.map(({ payload }) => canonicalJson(payload)));
  const sentAt = batch.first_sent_at ?? 0;
  const others = competing.filter(
    ({ issuance_id, batch: index, sentSince, payload }) =>
      !(issuance_id === batch.issuance_id && index === batch.index) &&
      !(sentSince > sentAt && ownPayloads.has(canonicalJson(payload))),
  );
  const byContent = new EntriesByContent(others, await fileCids(files, trx, issuer, others));
  return new Set(records.filter((record) => byContent.of(record).length > 0));
}
