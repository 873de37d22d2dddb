import { backoff } from '@srr-gateway/common/time';
import { sql } from 'kysely';
import { CommerceRefusal, type IssueResult } from '../../clients/commerce/commerce.ts';
import { UpstreamError } from '../../model/errors.ts';
import type { Next } from '../../store/row-worker.ts';
import { acceptBatch, rejectBatch } from '../batch-outcome.ts';
import { entriesOf } from '../batch-state.ts';
import { believe } from '../belief.ts';
import { checkpoint } from '../checkpoint.ts';
import type { BatchRow, IssuersTurn, Turn } from '../flow.ts';
import { wordOfFirstRefusal } from '../refusal-word.ts';
import { lockOwned, transition } from '../transition.ts';

// An upstream that is down comes back in seconds or minutes; asking every few seconds costs it nothing.
const retryMs = { firstMs: 500, maxMs: 15_000 };
// Half a minute with the pauses: that long a proxy that is being set up may refuse by mistake.
const refusedTries = 6;
// The service refused a file that it had called ready. Its own clock may need a moment.
const filesAgainMs = 2_000;

/** SUBMITTING: sends the next batch that was never sent. When all are answered it waits for mining. */
export async function submit(turn: IssuersTurn): Promise<Next> {
  const { deps, issuance } = turn;
  const batches = await deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', issuance.id)
    .orderBy('index')
    .execute();
  // A batch in flight under a new lease: the process that sent it died before the answer.
  const inFlight = batches.find((batch) => batch.status === 'SENDING' || batch.status === 'UNKNOWN');
  if (inFlight) return becomeUnknown(turn, inFlight, 'the process stopped while the request was under way');
  const next = batches.find((batch) => batch.status === 'PENDING');
  if (next) return sendFirst(turn, next);
  await waitForMining(turn);
  return 'again';
}

/** Moves an issuance on whose every request has its answer. */
export async function waitForMining(turn: Turn): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await transition(trx, row, 'WAITING_FOR_MINING', 'the service accepted it');
  });
  checkpoint('accepted', turn.issuance.id);
}

async function sendFirst(turn: IssuersTurn, batch: BatchRow): Promise<Next> {
  try {
    await acceptBatch(turn, batch, await post(turn, batch));
    checkpoint('answer-recorded', batch.issuance_id);
    return 'again';
  } catch (error) {
    if (error instanceof CommerceRefusal) return refused(turn, batch, error);
    if (!(error instanceof UpstreamError)) throw error;
    if (error.maybeProcessed) return becomeUnknown(turn, batch, error.message);
    const { attempts } = turn.issuance;
    if (isRefusedOnTheWay(error) && attempts >= refusedTries) {
      await rejectBatch(turn, batch, error, 'ANSWER_REFUSED');
      return 'again';
    }
    await setStatus(turn, batch, { status: 'PENDING' });
    return { afterMs: error.retryAfterMs ?? backoff(attempts, retryMs), attempts: attempts + 1 };
  }
}

/** A 4xx that is not the service's own, such as a proxy's 413: the same request would get it again. */
const isRefusedOnTheWay = ({ code, status = 0 }: UpstreamError) =>
  code === 'UPSTREAM_BAD_RESPONSE' && status >= 400 && status < 500;

/**
 * Marks the batch as sent before calling the service, so that it counts as sent whatever happens.
 * @throws CommerceRefusal or UpstreamError when the service refuses or does not answer.
 */
export async function post(turn: IssuersTurn, batch: BatchRow): Promise<IssueResult[]> {
  const { deps, credentials, signal } = turn;
  await setStatus(turn, batch, { status: 'SENDING', sent: batch.sent + 1 });
  checkpoint('marked-as-sending', batch.issuance_id);
  const payload = (await entriesOf(deps.db, batch)).map((entry) => entry.payload);
  const results = await deps.commerce.issue(credentials, { requestId: batch.request_id, payload }, signal);
  checkpoint('answered', batch.issuance_id);
  return results;
}

async function refused(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<Next> {
  const word = wordOfFirstRefusal(refusal);
  if (word !== 'ANSWER_REFUSED' || believe(word, 'SENT') !== 'FAILED')
    return becomeUnknown(turn, batch, `the service may have processed the request: ${refusal.message}`);
  if (refusal.code === 'FILE_NOT_READY' || refusal.code === 'ATTACHMENT_NOT_READY') {
    if (Date.now() - turn.issuance.created_at.getTime() < turn.deps.timeouts.filesReady) {
      await setStatus(turn, batch, { status: 'PENDING', request_id: freshRequestId(batch) });
      return { afterMs: filesAgainMs };
    }
  }
  await rejectBatch(turn, batch, refusal, word);
  checkpoint('refusal-recorded', batch.issuance_id);
  return 'again';
}

/** A new requestId for a batch, derived so that it shows its origin and a crash cannot make two. */
export const freshRequestId = (batch: BatchRow): string =>
  `${batch.issuance_id}-${batch.index}-${batch.sent + 1}`;

async function becomeUnknown(turn: Turn, batch: BatchRow, reason: string): Promise<Next> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
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

/**
 * Changes a batch, in the database and in memory. The database keeps a batch that is ACCEPTED as it is.
 * @throws LeaseLost when this step does not hold its lease any more.
 */
export async function setStatus(
  turn: Turn,
  batch: BatchRow,
  change: Partial<Pick<BatchRow, 'status' | 'sent' | 'request_id' | 'first_key_logged'>>,
): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    await lockOwned(trx, turn);
    await trx
      .updateTable('issuance_batch')
      .set({
        ...change,
        ...(change.sent && {
          first_sent_at: sql<Date>`coalesce(first_sent_at, clock_timestamp())`,
          last_sent_at: sql<Date>`clock_timestamp()`,
        }),
      })
      .where('issuance_id', '=', batch.issuance_id)
      .where('index', '=', batch.index)
      .where('status', '!=', 'ACCEPTED')
      .execute();
  });
  Object.assign(batch, change);
}
