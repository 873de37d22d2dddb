import { parseAddress } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { CommerceRefusal, IssueResult } from '../../clients/commerce/commerce.ts';
import { solvedBy } from '../../model/error-codes.ts';
import type { Fault } from '../../model/errors.ts';
import type { Db } from '../../store/store.ts';
import { entriesOf, markAccepted, watchBatch } from '../batch-state.ts';
import { decide, type Report } from '../decision-table.ts';
import { batchStates, decisionStateOf, type EntryState } from '../entry-state.ts';
import type { BatchRow, IssuanceRow, StepContext } from '../flow.ts';
import { type ReleaseReason, releaseHeld } from '../outcomes/held-deliveries.ts';
import { Settlement } from '../outcomes/settlement.ts';
import { addToHistory, afterOutcomes, changeWithLog, transition } from '../transition.ts';
import { mapFaultsToEntries } from './map-faults.ts';

/**
 * Records that the service accepted a batch, with the ids in its response. Keeps ids and outcomes from earlier
 * deliveries.
 */
export async function acceptBatch(
  context: StepContext,
  batch: BatchRow,
  results: IssueResult[],
): Promise<void> {
  await accept(context, batch, 'LAST_REQUEST_ACCEPTED', async (trx) => {
    const { registryAddress } = context.deps;
    const known = results.map((result) => {
      const collection = parseAddress(result.collectionContractAddress ?? '') ?? null;
      return {
        externalId: result.externalId,
        tokenId: result.tokenId,
        cid: result.metadataCID,
        url: result.metadataURL,
        collection: collection === registryAddress ? null : collection,
      };
    });
    // One statement for thousands of entries. Keeps outcomes that came before this response. `markAccepted` sets the
    // status.
    await sql`
      update gateway.issuance_entry as entry set
        token_id = coalesce(entry.token_id, known->>'tokenId'),
        metadata_cid = coalesce(entry.metadata_cid, known->>'cid'),
        metadata_url = coalesce(entry.metadata_url, known->>'url'),
        collection_address = coalesce(entry.collection_address, known->>'collection'),
        outcome_source = case entry.status when 'PENDING' then 'RESPONSE' else entry.outcome_source end,
        updated_at = clock_timestamp()
      from jsonb_array_elements(${JSON.stringify(known)}::jsonb) as known
      where entry.issuance_id = ${batch.issuance_id} and entry.batch = ${batch.index}
        and entry.external_id = known->>'externalId'`.execute(trx);
  });
}

/**
 * Records that a batch was certainly accepted, although the response with its ids is lost. The ids come from
 * deliveries or the subgraph.
 */
export async function acceptWithoutIds(context: StepContext, batch: BatchRow, reason: string): Promise<void> {
  await accept(context, batch, 'SOME_REQUEST_ACCEPTED', (trx, row) =>
    transition(trx, row, 'SUBMITTING', reason),
  );
}

async function accept(
  context: StepContext,
  batch: BatchRow,
  reason: ReleaseReason,
  record: (trx: Db, row: IssuanceRow) => Promise<void>,
): Promise<void> {
  await changeWithLog(context, async (trx, row) => {
    await record(trx, row);
    await markAccepted(trx, batch);
    await releaseHeld(trx, row, batch.index, reason, context.deps.timeouts.failureWatch);
    await afterOutcomes(trx, row);
  });
}

/**
 * Rejects a batch that the service refused. Each entry gets its error. After a delivery about one of its records the
 * refusal still counts for the others: another program may have issued that record.
 * When the batch was sent more than once, or the service knows an identical request, the chain is watched for a while:
 * the refusal may be caused by an earlier request that was processed.
 * @param report `ANSWER_REFUSED`: the refusal itself proves it. `SUBGRAPH_LACKS`: the refusal counts because the
 * subgraph shows nothing, and the batch was sent more than once.
 */
export async function rejectBatch(
  context: StepContext,
  batch: BatchRow,
  refusal: { faults: CommerceRefusal['faults'] },
  report: Extract<Report, 'ANSWER_REFUSED' | 'SUBGRAPH_LACKS'>,
): Promise<void> {
  const { timeouts } = context.deps;
  await changeWithLog(context, async (trx, row) => {
    const entries = await entriesOf(trx, batch);
    const { ofRequest, ofEntries } = mapFaultsToEntries(refusal.faults, entries);
    const settlement = new Settlement(trx, row.issuer, timeouts.failureWatch, [row]);
    const states = await batchStates(trx, row.issuer, batch);
    const isReported = states.some((entry) => decisionStateOf(entry) !== 'SENT');
    // A proxy may have sent the only request twice, and this answers the second.
    const isKnownAlready = refusal.faults.some(({ code }) => code === 'DUPLICATE_REQUEST_CONTENT');
    if (isReported && (report === 'SUBGRAPH_LACKS' || isKnownAlready)) return;
    for (const [i, entry] of states.entries())
      failRefused(settlement, entry, { error: ofEntries[i] as Fault, report, isReported });
    if (isReported) await addToHistory(trx, row, refusedAfterReport);
    else await markRejected(trx, batch);
    if (batch.sent > 1 || isKnownAlready || isReported) await watchBatch(trx, batch, timeouts.failureWatch);
    if (await isRejectedWhole(trx, row))
      await transition(trx, row, 'REJECTED', isKnownAlready ? knownAlready : rejection[report], ofRequest);
    await settlement.write();
  });
}

const knownAlready = 'the service refused it, because it has an identical request';
const rejection = {
  ANSWER_REFUSED: 'the service refused it; nothing was issued',
  SUBGRAPH_LACKS: 'the service refused the repeated request, and the subgraph shows none of its records',
};

const refusedAfterReport =
  'the service refused the request: what was reported as issued may be the record of another request';

function failRefused(
  settlement: Settlement,
  entry: EntryState,
  { error, report, isReported }: { error: Fault; report: Report; isReported: boolean },
): void {
  // Perhaps used by this request itself, which a proxy sent twice.
  const isUsed = isReported && solvedBy[error.code] === 'known';
  if (isUsed || decide(report, decisionStateOf(entry)) !== 'FAILED') return;
  const { tokenId, collection } = entry;
  settlement.settle(entry, { status: 'FAILED', source: 'RESPONSE', error, tokenId, collection });
}

async function markRejected(trx: Db, batch: BatchRow): Promise<void> {
  await trx
    .updateTable('issuance_batch')
    .set({ status: 'REJECTED' })
    .where('issuance_id', '=', batch.issuance_id)
    .where('index', '=', batch.index)
    .execute();
}

async function isRejectedWhole(trx: Db, { id }: IssuanceRow): Promise<boolean> {
  const other = await trx
    .selectFrom('issuance_batch')
    .select('index')
    .where('issuance_id', '=', id)
    .where('status', '!=', 'REJECTED')
    .executeTakeFirst();
  return other === undefined;
}
