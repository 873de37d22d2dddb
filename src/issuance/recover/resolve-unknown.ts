import { CommerceRefusal, requestContentState } from '../../clients/commerce/commerce.ts';
import { solvedBy } from '../../model/error-codes.ts';
import { type Fault, GatewayError, UpstreamError } from '../../model/errors.ts';
import type { StepResult } from '../../store/row-worker.ts';
import { entriesOf } from '../batch-state.ts';
import { checkpoint } from '../checkpoint.ts';
import { decide, type Report } from '../decision-table.ts';
import type { BatchRow, IssuerStepContext, StepContext } from '../flow.ts';
import { addRefusalToHistory, addToHistoryOnce, reasonText } from '../history.ts';
import { pauseAfter } from '../pause.ts';
import { isProbablyUnread, mayBeAfterCreation, reportOfRepeatedRefusal } from '../refusal-report.ts';
import { mayStillAppear } from '../subgraph-lag.ts';
import { acceptBatch, acceptWithoutIds, rejectBatch } from '../submit/batch-outcome.ts';
import { changeBatch, newRequestId, requestIdSince, sendBatch } from '../submit/send-batch.ts';
import { finishSubmitting } from '../submit/submit.ts';
import { changeOwned, touch, transition } from '../transition.ts';
import { followAccepted } from './follow.ts';
import { recoverBatch } from './recover-batch.ts';
import { requestOfOtherIssuance } from './request-of-other-issuance.ts';

// At the first attempt the service may still be working on the lost request.
const retryMs = { firstMs: 1_000, maxMs: 15_000 };

/**
 * OUTCOME_UNKNOWN: repeats the request. By the service's idempotency rules the answer shows whether the lost one was
 * processed.
 */
export async function resolveUnknown(context: IssuerStepContext): Promise<StepResult> {
  const batch = await context.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', context.issuance.id)
    .where('status', 'in', ['SENDING', 'UNKNOWN'])
    .orderBy('index')
    .executeTakeFirst();
  if (!batch) return backToSubmitting(context, 'the outcome is known');
  // The process that repeated the request died before the answer.
  if (batch.status === 'SENDING') {
    await markAsLost(context, batch);
    return 'again';
  }
  if (context.issuance.ask_index_at !== null && (await isFoundInSubgraph(context, batch))) return 'again';
  try {
    await acceptBatch(context, batch, await sendBatch(context, batch));
    checkpoint('asked-again', batch.issuance_id);
    return backToSubmitting(context, 'the request had not been processed; now it is accepted');
  } catch (error) {
    if (error instanceof CommerceRefusal) return handleRefusal(context, batch, error);
    if (error instanceof UpstreamError) return handleLostResponse(context, batch, error);
    throw error;
  }
}

/**
 * Queries only the subgraph: the service cannot be called without the issuer's key.
 * @returns Whether the issuance moved.
 */
export async function resolveWithoutKey(context: StepContext): Promise<boolean> {
  const unanswered = await context.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', context.issuance.id)
    .where('status', 'in', ['PENDING', 'SENDING', 'UNKNOWN'])
    .orderBy('index')
    .execute();
  if (unanswered.length === 0) {
    await finishSubmitting(context);
    return true;
  }
  for (const batch of unanswered)
    if (batch.status !== 'PENDING' && (await isFoundInSubgraph(context, batch))) return true;
  await followAccepted(context);
  return false;
}

/** Whether the subgraph shows the batch. False if the subgraph is down, because the service is asked anyway. */
async function isFoundInSubgraph(context: StepContext, batch: BatchRow): Promise<boolean> {
  try {
    return (await recoverBatch(context, batch)).state === 'FOUND';
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

async function handleRefusal(
  context: StepContext,
  batch: BatchRow,
  refusal: CommerceRefusal,
): Promise<StepResult> {
  await changeBatch(context, batch, { status: 'UNKNOWN' });
  if (requestContentState(refusal) === 'in_progress') return handleInProgress(context, batch);
  if (refusal.code === 'DUPLICATE_REQUEST_ID') {
    // A used requestId does not prove that anything was issued. The service accepts each content and externalId only
    // once, so it accepts a new requestId only if nothing was issued before.
    const isNew = batch.request_id === requestIdSince(batch, batch.sent);
    await changeBatch(context, batch, { request_id: newRequestId(batch) });
    checkpoint('new-key-recorded', batch.issuance_id);
    if (!isNew) return 'again';
    // A proxy sends each request twice, and this answers the second.
    return (await restartWait(context, batch, refusal))
      ? retryLater(context)
      : askSubgraph(context, batch, refusal);
  }
  const report = reportOfRepeatedRefusal(refusal);
  switch (decide(report, 'SENT')) {
    case 'ACCEPTED':
      return handleProcessed(context, batch, refusal);
    case 'FAILED':
      return handleRefused(context, batch, refusal, 'ANSWER_REFUSED');
    default:
      if (mayBeAfterCreation(refusal) && (await restartWait(context, batch, refusal)))
        return retryLater(context);
      return askSubgraph(context, batch, refusal);
  }
}

/**
 * Restarts the wait, by a note that sets `updated_at`: the repeated request may have been processed, and its records
 * cannot be on chain yet. Only once for each code, or a service that always fails would leave the outcome open.
 * @returns Whether it did.
 */
function restartWait(context: StepContext, batch: BatchRow, refusal: CommerceRefusal): Promise<boolean> {
  const key = `the service may have processed the repeated request of batch ${batch.index} (${refusal.code}): `;
  // No limit, because deliveries may have filled the history, and there are few codes.
  return changeOwned(context, (trx, row) =>
    addToHistoryOnce(trx, row, [{ key, detail: reasonText(refusal) }], Number.POSITIVE_INFINITY),
  );
}

/** The service says that the request is in progress, perhaps for ever, so ask the subgraph after `reconcileAfter`. */
async function handleInProgress(context: StepContext, batch: BatchRow): Promise<StepResult> {
  const { read_at, updated_at } = context.issuance;
  const lostMs = read_at.getTime() - updated_at.getTime();
  if (lostMs < context.deps.timeouts.reconcileAfter) return retryLater(context);
  const { state } = await recoverBatch(context, batch);
  return state === 'FOUND' ? 'again' : retryLater(context);
}

async function handleProcessed(
  context: StepContext,
  batch: BatchRow,
  refusal: CommerceRefusal,
): Promise<StepResult> {
  const { deps, issuance } = context;
  const other = await requestOfOtherIssuance(deps.db, issuance, batch, await entriesOf(deps.db, batch));
  // Identical entries were issued, but for an earlier issuance, which has their externalIds.
  if (other === 'ACCEPTED') return handleRefused(context, batch, refusal, 'SUBGRAPH_LACKS');
  // The request that succeeded may be the earlier issuance's or this one.
  if (other === 'UNKNOWN') return askSubgraph(context, batch, refusal);
  await acceptWithoutIds(context, batch, 'the service confirms that the lost request was processed');
  return 'again';
}

async function askSubgraph(
  context: StepContext,
  batch: BatchRow,
  refusal: CommerceRefusal,
): Promise<StepResult> {
  const search = await recoverBatch(context, batch, refusal.faults.some(isOwnSuccess));
  if (search.state === 'FOUND') return 'again';
  if (isProbablyUnread(refusal)) return handleUnread(context, refusal);
  // An unreadable document may become readable later. One that never does must not leave the outcome open, so then
  // the clock decides.
  const indexedUntil = search.state === 'UNREAD' ? undefined : search.indexedUntil;
  if (
    search.state === 'CONTESTED' ||
    search.state === 'INCOMPLETE' ||
    mayStillAppear(context.issuance.updated_at, context.deps.timeouts.reconcileAfter, {
      now: context.issuance.read_at,
      indexedUntil,
    })
  )
    return retryLater(context);
  return handleRefused(context, batch, { faults: withOwnRequestHint(refusal.faults) }, 'SUBGRAPH_LACKS');
}

/** Repeats the request without limit. The history says why, because only a person can replace a withdrawn key. */
async function handleUnread(context: StepContext, refusal: CommerceRefusal): Promise<StepResult> {
  const what = 'the service refuses the repeated request without reading it, so the gateway repeats it';
  await addRefusalToHistory(context, what, refusal);
  return retryLater(context);
}

/**
 * Whether a refusal says that the service has accepted these very entries. Used metadata or chips may be an earlier
 * entry's, which failed and was issued again.
 */
const isOwnSuccess = ({ code }: Fault) =>
  code === 'DUPLICATE_EXTERNAL_ID' || code === 'DUPLICATE_REQUEST_CONTENT';

/** The duplicate may be the lost request itself, accepted but not mined. No source tells the two apart. */
const withOwnRequestHint = ([first, ...others]: CommerceRefusal['faults']): CommerceRefusal['faults'] => {
  const say = (fault: Fault): Fault =>
    solvedBy[fault.code] === 'known'
      ? { ...fault, message: `${fault.message} It may be this entry itself: ${lostAndNotMined}` }
      : fault;
  return [say(first), ...others.map(say)];
};
const lostAndNotMined =
  'the answer to its first request was lost, and its record is not on chain. Ask the service’s operator what became of it.';

async function handleRefused(
  context: StepContext,
  batch: BatchRow,
  refusal: Pick<CommerceRefusal, 'faults'>,
  report: Extract<Report, 'ANSWER_REFUSED' | 'SUBGRAPH_LACKS'>,
): Promise<StepResult> {
  await rejectBatch(context, batch, refusal, report);
  return backToSubmitting(context, 'the service refused the repeated request');
}

async function handleLostResponse(
  context: StepContext,
  batch: BatchRow,
  error: UpstreamError,
): Promise<StepResult> {
  if (error.maybeProcessed) await markAsLost(context, batch);
  else await changeBatch(context, batch, { status: 'UNKNOWN' });
  // The service is down: look at the chain meanwhile.
  const now = context.issuance.read_at.getTime();
  const sentAt = batch.first_sent_at?.getTime() ?? now;
  if (now - sentAt >= context.deps.timeouts.reconcileAfter && (await isFoundInSubgraph(context, batch)))
    return 'again';
  return retryLater(context, error.retryAfterMs);
}

/** Marks the batch as lost and restarts the wait: the repeated request may have been processed. */
async function markAsLost(context: StepContext, batch: BatchRow): Promise<void> {
  await changeOwned(context, async (trx, row) => {
    await trx
      .updateTable('issuance_batch')
      .set({ status: 'UNKNOWN' })
      .where('issuance_id', '=', batch.issuance_id)
      .where('index', '=', batch.index)
      // A delivery may have proved the acceptance meanwhile.
      .where('status', '=', 'SENDING')
      .execute();
    await touch(trx, row);
  });
  batch.status = 'UNKNOWN';
}

function retryLater(context: StepContext, retryAfterMs?: number): StepResult {
  const { attempts } = context.issuance;
  return { afterMs: pauseAfter(attempts, retryMs, retryAfterMs), attempts: attempts + 1 };
}

async function backToSubmitting(context: StepContext, reason: string): Promise<StepResult> {
  await changeOwned(context, async (trx, row) => {
    if (row.status === 'OUTCOME_UNKNOWN') await transition(trx, row, 'SUBMITTING', reason);
  });
  return 'again';
}
