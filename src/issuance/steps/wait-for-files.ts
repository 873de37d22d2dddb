import { backoff } from '@srr-gateway/common/time';
import { sql } from 'kysely';
import type { FileState } from '../../clients/commerce/commerce.ts';
import { isCircuitOpen } from '../../clients/resilience.ts';
import { type Fault, GatewayError, UpstreamError } from '../../model/errors.ts';
import type { Next } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import { type LateFile, longestPause, verdict } from '../file-verdict.ts';
import type { IssuersTurn, Turn } from '../flow.ts';
import { noteOnce } from '../note-once.ts';
import { recordLook, words } from '../record-look.ts';
import { lockOwned, touch, transition } from '../transition.ts';
import { filesWaitedFor, rememberSaid, type WaitedFile } from '../waited-files.ts';

// Small files are hashed within a second or two. Large ones take minutes, where a few seconds do not matter.
const pollMs = { firstMs: 250, maxMs: 10_000 };
// Pauses after the call failed, its own retries included: a key that is being changed or a restart takes
// minutes, not seconds.
const failedMs = { firstMs: 1_000, maxMs: 30_000 };
/** The longest pause taken on the service's word: it may ask for more than it should be trusted with. */
const longestRetryAfterMs = 60_000;
/** WAITING_FOR_FILES: asks for all files in one call, until each has its hash and cid. */
export async function waitForFiles(turn: IssuersTurn): Promise<Next> {
  const { deps, issuance, credentials, signal } = turn;
  const waiting = await filesWaitedFor(deps.db, issuance.id);
  let states: FileState[] = [];
  try {
    if (waiting.length > 0) states = await deps.commerce.fileMetadata(credentials, waiting, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    return askedInVain(turn, waiting, error);
  }
  checkpoint('files-asked', issuance.id);
  const { looks, mismatch } = await recordLook(turn, waiting, states);
  if (mismatch) return reject(turn, mismatch);
  checkpoint('files-recorded', issuance.id);

  const late = looks.flatMap(({ file, state }): LateFile[] =>
    file.status === 'READY' ? [] : [{ ...file, inaccessible: state.inaccessible }],
  );
  if (late.length === 0) {
    await deps.db.transaction().execute(async (trx) => {
      const row = await lockOwned(trx, turn);
      if (row.status === 'WAITING_FOR_FILES')
        await transition(trx, row, 'SUBMITTING', 'every file has its hash and cid');
    });
    checkpoint('ready-to-submit', issuance.id);
    return 'again';
  }
  const fault = verdict(late, timeLeft(turn) <= 0);
  if (fault) return reject(turn, fault);
  // Start the backoff anew after progress: where one file is ready the next is near.
  const attempts = late.length < waiting.length ? 0 : issuance.attempts;
  return lookAgain(turn, Math.min(backoff(attempts, pollMs), longestPause(late)), attempts);
}

/** Milliseconds until the wait for files reaches FILES_READY_TIMEOUT. */
const timeLeft = ({ deps, issuance }: Turn): number =>
  issuance.created_at.getTime() + deps.timeouts.filesReady - Date.now();

/** Looks again no later than at the limit, so that the limit is kept. */
const lookAgain = (turn: Turn, afterMs: number, attempts: number): Next => ({
  afterMs: Math.min(afterMs, Math.max(timeLeft(turn), pollMs.firstMs)),
  attempts: attempts + 1,
});

/** The call was refused or failed: shows that at every file, and rejects only when the limit has passed. */
async function askedInVain(turn: Turn, waiting: WaitedFile[], error: GatewayError): Promise<Next> {
  const { deps, issuance } = turn;
  deps.log.warn({ err: error, code: error.code }, 'asking for the files of an issuance failed');
  const unasked = isCircuitOpen(error);
  // The open circuit breaker let no call through, so what the last call said still counts.
  const said = unasked
    ? waiting.find((file) => file.message)?.message
    : words(error.faults.flatMap((fault) => fault.upstreamMessage ?? []).join('; '));
  const fault: Fault = {
    code: error.code,
    message: `The service would not tell whether the files are ready; nothing was sent. ${error.message}`,
    ...(said && { upstreamMessage: said }),
  };
  if (timeLeft(turn) <= 0) return reject(turn, fault);
  if (!unasked)
    await deps.db.transaction().execute(async (trx) => {
      const row = await lockOwned(trx, turn);
      const shown = said ?? error.message;
      if (await rememberSaid(trx, row.id, shown)) await touch(trx, row);
      await noteOnce(trx, row, [
        { said: `asking for the files failed (${error.code}): ${shown}`, about: '' },
      ]);
    });
  const asked = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
  const pause = Math.max(backoff(issuance.attempts, failedMs), Math.min(asked, longestRetryAfterMs));
  return lookAgain(turn, pause, issuance.attempts);
}

async function reject(turn: Turn, fault: Fault): Promise<Next> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await trx
      .updateTable('issuance_entry')
      .set({ status: 'CANCELLED', updated_at: sql<Date>`clock_timestamp()` })
      .where('issuance_id', '=', row.id)
      .where('status', '=', 'PENDING')
      .execute();
    await transition(trx, row, 'REJECTED', fault.message, fault);
  });
  return 'final';
}
