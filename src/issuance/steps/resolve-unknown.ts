import { CommerceRefusal, requestContentState } from '../../commerce/commerce.ts';
import { UpstreamError } from '../../lib/errors.ts';
import { backoff } from '../../lib/time.ts';
import { acceptBatch, acceptWithoutIds, entriesOf, rejectBatch } from '../batch-outcome.ts';
import { checkpoint } from '../checkpoint.ts';
import { findLost } from '../find-lost.ts';
import type { BatchRow, IssuersTurn, Next, Turn } from '../flow.ts';
import { areAnothers } from '../owned-elsewhere.ts';
import { isAtTheDoor, provesRefusal } from '../refusal-proof.ts';
import { lockOwned, touch, transition } from '../transition.ts';
import { freshRequestId, post, setStatus } from './submit.ts';

// The first question may come while the lost request is still being worked on.
const retryMs = { firstMs: 1_000, maxMs: 15_000 };

/** A chain on which nothing happens has no new blocks: then the clock decides, this many times later. */
const idleChainFactor = 5;

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
  try {
    await acceptBatch(turn, batch, await post(turn, batch));
    checkpoint('asked-again', batch.issuance_id);
    return backToSubmitting(turn, 'the request had not been processed; now it is accepted');
  } catch (error) {
    if (error instanceof CommerceRefusal) return readRefusal(turn, batch, error);
    if (error instanceof UpstreamError) return lostAgain(turn, error);
    throw error;
  }
}

async function readRefusal(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  const content = requestContentState(refusal);
  if (content === 'in_progress') return askAgain(turn);
  const { deps, issuance } = turn;
  if (content === 'successful') {
    if (await areAnothers(deps.db, issuance, await entriesOf(deps.db, batch)))
      return refused(turn, batch, refusal);
    await acceptWithoutIds(turn, batch, 'the service confirms that the lost request was processed');
    return 'again';
  }
  if (refusal.code === 'DUPLICATE_REQUEST_ID') {
    // Logged is not issued. Content and externalIds are unique upstream, so the same entries under a
    // fresh key can be accepted only if nothing was issued before.
    await setStatus(turn, batch, { first_key_logged: true, request_id: freshRequestId(batch) });
    checkpoint('new-key-recorded', batch.issuance_id);
    return 'again';
  }
  if (provesRefusal(refusal)) return refused(turn, batch, refusal);
  const search = await findLost(turn, batch);
  if (search.state === 'FOUND') return 'again';
  if (search.state === 'CONTESTED' || isAtTheDoor(refusal) || mayComeUp(turn, search.indexedUntil))
    return askAgain(turn);
  return refused(turn, batch, refusal);
}

async function refused(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  await rejectBatch(turn, batch, refusal);
  return backToSubmitting(turn, 'the service refused the repeated request');
}

/**
 * Whether records of a request that was lost may still show on chain: the index must have seen a moment
 * that is later than the loss by what the way to the chain takes.
 */
function mayComeUp({ deps, issuance }: Turn, indexedUntil: Date | undefined): boolean {
  const { reconcileAfter } = deps.timeouts;
  const lostFor = (at: number) => at - issuance.updated_at.getTime();
  if (lostFor(Date.now()) < reconcileAfter) return true;
  if (indexedUntil && lostFor(indexedUntil.getTime()) >= reconcileAfter) return false;
  return lostFor(Date.now()) < idleChainFactor * reconcileAfter;
}

/** The repeated request may have been the one that is processed: what it leads to is waited for anew. */
async function lostAgain(turn: Turn, error: UpstreamError): Promise<Next> {
  if (error.maybeProcessed)
    await turn.deps.db.transaction().execute(async (trx) => {
      const row = await lockOwned(trx, turn);
      await touch(trx, row);
    });
  return askAgain(turn, error.retryAfterMs);
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
