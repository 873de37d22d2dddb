import { type FileState, statusOfFile } from '../../clients/commerce/commerce.ts';
import type { Fault } from '../../model/errors.ts';
import { fileKeyText } from '../../model/file.ts';
import type { Db } from '../../store/store.ts';
import type { StepContext } from '../flow.ts';
import { addToHistoryOnce } from '../history.ts';
import { redactedMessage } from '../redacted-message.ts';
import { changeOwned, touch, transition } from '../transition.ts';
import { namesOf } from './file-faults.ts';
import { differ, storeObserved, type WaitedFile } from './waited-files.ts';

/** A file as it is stored, and its latest state at the service. */
interface CheckedFile {
  file: WaitedFile;
  state: FileState;
}

/**
 * Stores the observed state of each file, and moves the issuance to SUBMITTING when all are ready. `mismatch`: a
 * file's content is not what the caller announced.
 */
export async function recordFileStates(
  context: StepContext,
  waiting: WaitedFile[],
  states: FileState[],
): Promise<{ checked: CheckedFile[]; mismatch: Fault | undefined }> {
  const seen = waiting.map(({ filename, category }, i) => {
    const state = states[i] as FileState;
    return {
      filename,
      category,
      status: statusOfFile(state),
      message: redactedMessage(state.message) ?? null,
    };
  });
  return changeOwned(context, async (trx, row) => {
    const files = await storeObserved(trx, row.id, waiting, seen);
    const checked = files.map((file, i) => ({ file, state: states[i] as FileState }));
    const mismatch = await storeContents(trx, context, checked);
    if (!mismatch && files.every(({ status }) => status === 'READY')) {
      await transition(trx, row, 'SUBMITTING', 'every file has its hash and cid');
      return { checked, mismatch };
    }
    if (seen.some((file, i) => differ(file, waiting[i] as WaitedFile))) await touch(trx, row);
    await addToHistoryOnce(trx, row, problemsIn(files));
    return { checked, mismatch };
  });
}

/** Stores the hashes of the ready files. Returns a fault when one is not as announced. */
async function storeContents(
  trx: Db,
  { deps, issuance }: StepContext,
  checked: CheckedFile[],
): Promise<Fault | undefined> {
  const ready = checked.flatMap(({ file, state }) =>
    file.status === 'READY' ? [{ ...state, filename: file.filename, category: file.category }] : [],
  );
  const announced = await deps.files.recordContents(trx, issuance.issuer, ready);
  const i = announced.findIndex((hash, i) => hash !== null && hash !== ready[i]?.hash);
  const file = ready[i];
  return (
    file && {
      code: 'CONTENT_MISMATCH',
      message: `The stored content of ${fileKeyText(file)} is not what was announced (${file.hash}, not ${announced[i]}). Upload it again under a new name.`,
    }
  );
}

/** Lines of the history: one for each problem that the service reports. */
function problemsIn(files: WaitedFile[]): { key: string; detail: string }[] {
  const missing = files.filter(({ status }) => status === 'AWAITING_BYTES');
  const failed = Map.groupBy(
    files.filter(({ status }) => status === 'FAILED'),
    ({ message }) => message,
  );
  const problems = [...failed].map(([message, about]) => ({
    key: `the service reports a problem: "${message}"`,
    detail: ` for ${namesOf(about)}`,
  }));
  if (missing.length > 0)
    problems.unshift({ key: 'the service does not find', detail: ` ${namesOf(missing)}` });
  return problems;
}
