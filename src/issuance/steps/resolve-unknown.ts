import { CommerceRefusal, requestContentState } from '../../commerce/commerce.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import { UpstreamError } from '../../lib/errors.ts';
import { backoff } from '../../lib/time.ts';
import { acceptBatch, acceptWithoutIds, entriesOf, rejectBatch } from '../batch-outcome.ts';
import { checkpoint } from '../checkpoint.ts';
import { findLost } from '../find-lost.ts';
import type { BatchRow, Next, Turn } from '../flow.ts';
import { areAnothers } from '../owned-elsewhere.ts';
import { lockOwned, transition } from '../transition.ts';
import { freshRequestId, post, setStatus } from './submit.ts';

// The first question may come while the lost request is still being worked on.
const retryMs = { firstMs: 1_000, maxMs: 15_000 };

/** Refusals that our own earlier success would cause too: they prove nothing by themselves. */
const ambiguous: ErrorCode[] = ['DUPLICATE_EXTERNAL_ID', 'DUPLICATE_METADATA', 'DUPLICATE_CHIP'];

/**
 * The service refuses a request that it looked into with 400 or 500. Any other 4xx (a key that was withdrawn,
 * a path that is not served for a moment) was said before that, so it proves nothing of the earlier one.
 */
const isAtTheDoor = ({ status }: CommerceRefusal) => status < 500 && status !== 400;

/** OUTCOME_UNKNOWN: finds out by the service's own rules whether the lost request was processed. */
export async function resolveUnknown(turn: Turn): Promise<Next> {
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
    if (error instanceof UpstreamError) return askAgain(turn, error.retryAfterMs);
    throw error;
  }
}

async function readRefusal(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  const content = requestContentState(refusal);
  if (content === 'in_progress') return askAgain(turn);
  const { deps, issuance } = turn;
  if (content === 'successful' && !(await areAnothers(deps.db, issuance, await entriesOf(deps.db, batch)))) {
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
  if (ambiguous.includes(refusal.code) || isAtTheDoor(refusal)) {
    if (await findLost(turn, batch)) return 'again';
    if (isAtTheDoor(refusal) || stillMayBeConfirmed(turn)) return askAgain(turn);
  }
  await rejectBatch(turn, batch, refusal);
  return backToSubmitting(turn, 'the service refused the repeated request');
}

/** What confirms the earlier success gets this long before the refusal is believed. */
function stillMayBeConfirmed(turn: Turn): boolean {
  const since = turn.issuance.updated_at.getTime();
  return Date.now() - since < turn.deps.timeouts.reconcileAfter;
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
