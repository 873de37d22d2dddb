import { CommerceRefusal, isOnlyUnready } from '../../clients/commerce/commerce.ts';
import { type GatewayError, UpstreamError } from '../../model/errors.ts';
import type { StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, IssuerStepContext, StepContext } from '../flow.ts';
import { addRefusalToHistory, reasonText } from '../history.ts';
import { reportOfFirstRefusal } from '../refusal-report.ts';
import { retryUnprocessed } from '../retry-unprocessed.ts';
import { changeOwned, transition, waitForMining } from '../transition.ts';
import { acceptBatch, rejectBatch } from './batch-outcome.ts';
import { changeBatch, newRequestId, sendBatch } from './send-batch.ts';

// Pause after the service refused a file that it had reported as ready. Short, because it has the file.
const filesRetryMs = 2_000;
// Hides the error's advice from the caller, because a new request might issue the records twice.
const answerLost = 'the answer is lost, so the gateway finds out what became of the request';

/** SUBMITTING: sends the next unsent batch. When all have their responses, the issuance waits for mining. */
export async function submit(context: IssuerStepContext): Promise<StepResult> {
  const { deps, issuance } = context;
  const batches = await deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', issuance.id)
    .orderBy('index')
    .execute();
  // A batch that is in flight at the start of a step was sent by a process that died before the response, or could
  // not store it.
  const inFlight = batches.find((batch) => batch.status === 'SENDING' || batch.status === 'UNKNOWN');
  if (inFlight)
    return markAsUnknown(
      context,
      inFlight,
      'no answer was stored, because the gateway or its database failed',
    );
  const next = batches.find((batch) => batch.status === 'PENDING');
  if (next) return sendFirst(context, next);
  await finishSubmitting(context);
  return 'again';
}

/** Moves an issuance, not its entries, to WAITING_FOR_MINING, because all its requests have their responses. */
export async function finishSubmitting(context: StepContext): Promise<void> {
  await changeOwned(context, waitForMining);
}

async function sendFirst(context: IssuerStepContext, batch: BatchRow): Promise<StepResult> {
  try {
    await acceptBatch(context, batch, await sendBatch(context, batch));
    checkpoint('answer-recorded', batch.issuance_id);
    return 'again';
  } catch (error) {
    if (error instanceof CommerceRefusal) return handleRefused(context, batch, error);
    if (!(error instanceof UpstreamError)) throw error;
    if (error.maybeProcessed) return markAsUnknown(context, batch, `${answerLost}: ${reasonText(error)}`);
    const retry = retryUnprocessed(error, context.issuance.attempts);
    if (retry) await sendLater(context, batch, error);
    else await rejectBatch(context, batch, error, 'ANSWER_REFUSED');
    return retry ?? 'again';
  }
}

async function handleRefused(
  context: StepContext,
  batch: BatchRow,
  refusal: CommerceRefusal,
): Promise<StepResult> {
  const report = reportOfFirstRefusal(refusal);
  if (report !== 'ANSWER_REFUSED')
    return markAsUnknown(
      context,
      batch,
      `the service may have processed the request: ${reasonText(refusal)}`,
    );
  if (isOnlyUnready(refusal)) {
    const { created_at, read_at } = context.issuance;
    if (read_at.getTime() - created_at.getTime() < context.deps.timeouts.filesReady) {
      await sendLater(context, batch, refusal, newRequestId(batch));
      return { afterMs: filesRetryMs };
    }
  }
  await rejectBatch(context, batch, refusal, report);
  checkpoint('refusal-recorded', batch.issuance_id);
  return 'again';
}

/**
 * Schedules a batch that certainly was not processed to be sent again. The history says why, because this may repeat
 * for hours.
 */
async function sendLater(
  context: StepContext,
  batch: BatchRow,
  error: GatewayError,
  requestId = batch.request_id,
): Promise<void> {
  await changeBatch(context, batch, { status: 'PENDING', request_id: requestId });
  await addRefusalToHistory(context, 'not processed, so the gateway sends the request again', error);
}

async function markAsUnknown(context: StepContext, batch: BatchRow, reason: string): Promise<StepResult> {
  await changeOwned(context, async (trx, row) => {
    const changed = await trx
      .updateTable('issuance_batch')
      .set({ status: 'UNKNOWN' })
      .where('issuance_id', '=', batch.issuance_id)
      .where('index', '=', batch.index)
      // A delivery may have proved the acceptance meanwhile.
      .where('status', 'in', ['PENDING', 'SENDING', 'UNKNOWN'])
      .returning('index')
      .executeTakeFirst();
    if (changed) await transition(trx, row, 'OUTCOME_UNKNOWN', reason);
  });
  checkpoint('marked-as-unknown', batch.issuance_id);
  return 'again';
}
