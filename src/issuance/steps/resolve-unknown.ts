import { backoff } from '@srr-gateway/common/time';
import { CommerceRefusal, requestContentState } from '../../clients/commerce/commerce.ts';
import { GatewayError, UpstreamError } from '../../model/errors.ts';
import type { Next } from '../../store/row-worker.ts';
import { acceptBatch, acceptWithoutIds, rejectBatch } from '../batch-outcome.ts';
import { entriesOf } from '../batch-state.ts';
import { believe, type Word } from '../belief.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, IssuersTurn, Turn } from '../flow.ts';
import { areAnothers } from '../owned-elsewhere.ts';
import { recoverBatch } from '../recover-batch.ts';
import { isBeforeProcessing, wordOfRepeatedRefusal } from '../refusal-word.ts';
import { mayComeUp } from '../subgraph-lag.ts';
import { lockOwned, touch, transition } from '../transition.ts';
import { freshRequestId, post, setStatus, waitForMining } from './submit.ts';

// The first try may come while the service still works on the lost request.
const retryMs = { firstMs: 1_000, maxMs: 15_000 };

/** OUTCOME_UNKNOWN: finds out by the service's own rules whether the lost request was processed. */
export async function resolveUnknown(turn: IssuersTurn): Promise<Next> {
  const batch = await turn.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', turn.issuance.id)
    .where('status', 'in', ['SENDING', 'UNKNOWN'])
    .orderBy('index')
    .executeTakeFirst();
  if (!batch) return backToSubmitting(turn, 'the outcome is known');
  // The process that repeated the request died before the answer.
  if (batch.status === 'SENDING') {
    await lose(turn, batch);
    return 'again';
  }
  if (turn.issuance.ask_index_at !== null && (await isFoundInIndex(turn, batch))) return 'again';
  try {
    await acceptBatch(turn, batch, await post(turn, batch));
    checkpoint('asked-again', batch.issuance_id);
    return backToSubmitting(turn, 'the request had not been processed; now it is accepted');
  } catch (error) {
    if (error instanceof CommerceRefusal) return readRefusal(turn, batch, error);
    if (error instanceof UpstreamError) return lostAgain(turn, batch, error);
    throw error;
  }
}

/**
 * Looks in the subgraph alone, because the service cannot be asked without the issuer's key.
 * @returns Whether the issuance moved.
 */
export async function resolveWithoutKey(turn: Turn): Promise<boolean> {
  const unanswered = await turn.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', turn.issuance.id)
    .where('status', 'in', ['PENDING', 'SENDING', 'UNKNOWN'])
    .orderBy('index')
    .execute();
  if (unanswered.length === 0) {
    await waitForMining(turn);
    return true;
  }
  for (const batch of unanswered)
    if (batch.status !== 'PENDING' && (await isFoundInIndex(turn, batch))) return true;
  return false;
}

/** Whether the subgraph shows the batch. False if it cannot be asked: the service is asked all the same. */
async function isFoundInIndex(turn: Turn, batch: BatchRow): Promise<boolean> {
  try {
    return (await recoverBatch(turn, batch)).state === 'FOUND';
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

async function readRefusal(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  await setStatus(turn, batch, { status: 'UNKNOWN' });
  if (requestContentState(refusal) === 'in_progress') return waitForWork(turn, batch);
  if (refusal.code === 'DUPLICATE_REQUEST_ID') {
    // A logged key does not mean that anything was issued. The service takes each content and externalId only
    // once, so the same entries under a fresh key can be accepted only if nothing was issued before.
    await setStatus(turn, batch, { first_key_logged: true, request_id: freshRequestId(batch) });
    checkpoint('new-key-recorded', batch.issuance_id);
    return 'again';
  }
  const word = wordOfRepeatedRefusal(refusal);
  switch (believe(word, 'SENT')) {
    case 'ACCEPTED':
      return processed(turn, batch, refusal);
    case 'FAILED':
      return refused(turn, batch, refusal, 'ANSWER_REFUSED');
    default:
      return askIndex(turn, batch, refusal);
  }
}

/**
 * The service works on the request, or says so for ever: after `reconcileAfter` the subgraph may know more.
 */
async function waitForWork(turn: Turn, batch: BatchRow): Promise<Next> {
  const lostMs = Date.now() - turn.issuance.updated_at.getTime();
  if (lostMs < turn.deps.timeouts.reconcileAfter) return askAgain(turn);
  const { state } = await recoverBatch(turn, batch);
  return state === 'FOUND' ? 'again' : askAgain(turn);
}

async function processed(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  const { deps, issuance } = turn;
  // Identical entries were issued, but for an earlier issuance, which has their externalIds.
  if (await areAnothers(deps.db, issuance, await entriesOf(deps.db, batch)))
    return refused(turn, batch, refusal, 'INDEX_LACKS');
  await acceptWithoutIds(turn, batch, 'the service confirms that the lost request was processed');
  return 'again';
}

async function askIndex(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  const search = await recoverBatch(turn, batch);
  if (search.state === 'FOUND') return 'again';
  // A document that no gateway delivers now may come later. One that never comes must not keep the outcome
  // open for ever, so the clock decides.
  const indexedUntil = search.state === 'UNREAD' ? undefined : search.indexedUntil;
  if (
    search.state === 'CONTESTED' ||
    isBeforeProcessing(refusal) ||
    mayComeUp(turn.issuance.updated_at, turn.deps.timeouts.reconcileAfter, indexedUntil)
  )
    return askAgain(turn);
  return refused(turn, batch, refusal, 'INDEX_LACKS');
}

async function refused(
  turn: Turn,
  batch: BatchRow,
  refusal: CommerceRefusal,
  word: Extract<Word, 'ANSWER_REFUSED' | 'INDEX_LACKS'>,
): Promise<Next> {
  await rejectBatch(turn, batch, refusal, word);
  return backToSubmitting(turn, 'the service refused the repeated request');
}

async function lostAgain(turn: Turn, batch: BatchRow, error: UpstreamError): Promise<Next> {
  if (error.maybeProcessed) await lose(turn, batch);
  else await setStatus(turn, batch, { status: 'UNKNOWN' });
  // A service that cannot be reached must not hide what is on chain.
  const sentAt = batch.first_sent_at?.getTime() ?? Date.now();
  if (Date.now() - sentAt >= turn.deps.timeouts.reconcileAfter && (await isFoundInIndex(turn, batch)))
    return 'again';
  return askAgain(turn, error.retryAfterMs);
}

/** Marks the batch as lost and starts the wait anew: the repeated request may be the one processed. */
async function lose(turn: Turn, batch: BatchRow): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
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

function askAgain(turn: Turn, retryAfterMs?: number): Next {
  const { attempts } = turn.issuance;
  return { afterMs: retryAfterMs ?? backoff(attempts, retryMs), attempts: attempts + 1 };
}

async function backToSubmitting(turn: Turn, reason: string): Promise<Next> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    if (row.status === 'OUTCOME_UNKNOWN') await transition(trx, row, 'SUBMITTING', reason);
  });
  return 'again';
}
