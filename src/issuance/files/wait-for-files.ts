import { backoff } from '@srr-gateway/common/time';
import type { FileState } from '../../clients/commerce/commerce.ts';
import { isCircuitOpen } from '../../clients/resilience.ts';
import { type Fault, GatewayError, UpstreamError } from '../../model/errors.ts';
import type { StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import { rejectUnsent } from '../end-unsent.ts';
import type { IssuerStepContext, StepContext } from '../flow.ts';
import { addToHistoryOnce } from '../history.ts';
import { pauseAfter } from '../pause.ts';
import { redactedMessage } from '../redacted-message.ts';
import { changeOwned, touch } from '../transition.ts';
import { type LateFile, longestPause, waitFault } from './file-faults.ts';
import { recordFileStates } from './record-file-states.ts';
import { filesWaitedFor, storeMessage, type WaitedFile } from './waited-files.ts';

// Small files are hashed within a second or two. Large ones take minutes, so a few seconds more do not matter.
const pollMs = { firstMs: 250, maxMs: 10_000 };
// Pauses after the call and its retries failed. Changing a key or restarting takes minutes, not seconds.
const failedMs = { firstMs: 1_000, maxMs: 30_000 };

/** WAITING_FOR_FILES: asks for all files in one call, until each has its hash and CID. */
export async function waitForFiles(context: IssuerStepContext): Promise<StepResult> {
  const { deps, issuance, credentials, signal } = context;
  const waiting = await filesWaitedFor(deps.db, issuance.id);
  let states: FileState[] = [];
  try {
    if (waiting.length > 0) states = await deps.commerce.fileMetadata(credentials, waiting, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof GatewayError)) throw error;
    return recordFailedQuery(context, waiting, error);
  }
  checkpoint('files-asked', issuance.id);
  const { checked, mismatch } = await recordFileStates(context, waiting, states);
  if (mismatch) return reject(context, mismatch);
  checkpoint('files-recorded', issuance.id);

  const late = checked.flatMap(({ file, state }): LateFile[] =>
    file.status === 'READY' ? [] : [{ ...file, inaccessible: state.inaccessible }],
  );
  if (late.length === 0) return 'again';
  const fault = waitFault(late, timeLeft(context) <= 0);
  if (fault) return reject(context, fault);
  // Progress restarts the backoff: when one file is ready, the next one soon is.
  const attempts = late.length < waiting.length ? 0 : issuance.attempts;
  return checkLater(context, Math.min(backoff(attempts, pollMs), longestPause(late)), attempts);
}

/** Milliseconds until the wait for files reaches FILES_READY_TIMEOUT. */
export const timeLeft = ({ deps, issuance }: StepContext): number =>
  issuance.created_at.getTime() + deps.timeouts.filesReady - issuance.read_at.getTime();

/** Checks again at FILES_READY_TIMEOUT at the latest, so that the issuance ends on time. */
const checkLater = (context: StepContext, afterMs: number, attempts: number): StepResult => ({
  afterMs: Math.min(afterMs, Math.max(timeLeft(context), pollMs.firstMs)),
  attempts: attempts + 1,
});

/**
 * Handles a refused or failed call: stores its message at each file, and rejects the issuance only after
 * FILES_READY_TIMEOUT.
 */
async function recordFailedQuery(
  context: StepContext,
  waiting: WaitedFile[],
  error: GatewayError,
): Promise<StepResult> {
  const { deps, issuance } = context;
  deps.log.warn({ err: error, code: error.code }, 'asking for the files of an issuance failed');
  const circuitOpen = isCircuitOpen(error);
  // The open circuit breaker let no call through, so the message of the last call still counts.
  const message = circuitOpen
    ? waiting.find((file) => file.message)?.message
    : redactedMessage(error.faults.flatMap((fault) => fault.upstreamMessage ?? []).join('; '));
  const fault: Fault = {
    code: error.code,
    message: `The service did not say whether the files are ready; nothing was sent. ${error.message}`,
    ...(message && { upstreamMessage: message }),
  };
  if (timeLeft(context) <= 0) return reject(context, fault);
  if (!circuitOpen)
    await changeOwned(context, async (trx, row) => {
      const text = message ?? error.message;
      if (await storeMessage(trx, row.id, text)) await touch(trx, row);
      await addToHistoryOnce(trx, row, [
        { key: `asking for the files failed (${error.code}): ${text}`, detail: '' },
      ]);
    });
  const retryAfter = error instanceof UpstreamError ? error.retryAfterMs : undefined;
  const pause = pauseAfter(issuance.attempts, failedMs, retryAfter);
  return checkLater(context, pause, issuance.attempts);
}

async function reject(context: StepContext, fault: Fault): Promise<StepResult> {
  await rejectUnsent(context, fault);
  return 'final';
}
