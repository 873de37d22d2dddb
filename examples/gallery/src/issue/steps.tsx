import { useWords } from '../words/words.ts';
import { startNew, stopAndEdit } from './form.ts';
import { Outcome } from './outcome.tsx';
import { type IssueState, useIssueState } from './state.ts';

/** The steps from the upload to the picture on IPFS, with their live state. */
export function Steps() {
  const words = useWords();
  const state = useIssueState();
  const { draft, entries, issuance } = state;
  const now = stepOf(state);
  const failed = hasFailed(state);
  const steps = Object.entries(words.steps);
  return (
    <>
      <ol className="steps" aria-live="polite">
        {steps.map(([name, text], index) => (
          <Step key={name} text={text} number={index + 1} state={stateOf(index, now, failed)} />
        ))}
      </ol>
      {now < steps.length && !failed && <p className="quiet">{words.goesOn}</p>}
      {issuance?.error && (
        <p className="fault" lang="en">
          {issuance.error.message}
        </p>
      )}
      <ul className="grid outcomes">
        {entries.map((entry) => (
          <Outcome
            key={entry.id}
            entry={entry}
            work={draft.works.find(({ id }) => id === entry.externalId)}
          />
        ))}
      </ul>
      {draft.phase === 'uploading' && (
        <button type="button" onClick={stopAndEdit}>
          {words.stopAndEdit}
        </button>
      )}
      {draft.phase === 'sent' && (
        <button type="button" className="primary" onClick={startNew}>
          {words.startNew}
        </button>
      )}
    </>
  );
}

type StepState = 'done' | 'now' | 'failed' | 'next';

const marks: Partial<Record<StepState, string>> = { done: '✓', failed: '!' };

function Step({ text, number, state }: { text: string; number: number; state: StepState }) {
  const words = useWords();
  const isCurrent = state === 'now' || state === 'failed';
  return (
    <li data-state={state}>
      <span aria-hidden="true">{marks[state] ?? number}</span>
      <span aria-current={isCurrent ? 'step' : undefined}>
        {text}
        {state === 'failed' && `: ${words.failed}`}
      </span>
    </li>
  );
}

function stateOf(index: number, now: number, failed: boolean): StepState {
  if (index < now) return 'done';
  if (index > now) return 'next';
  return failed ? 'failed' : 'now';
}

/** The index of the current step, or of the one that failed. */
function stepOf(state: IssueState): number {
  const { draft, issuance, entries } = state;
  if (draft.phase === 'uploading') return draft.works.every(({ image }) => image) ? 1 : 0;
  switch (issuance?.status) {
    case undefined:
    case 'WAITING_FOR_FILES':
      return 2;
    case 'SUBMITTING':
    case 'OUTCOME_UNKNOWN':
    case 'REJECTED':
    case 'CANCELLED':
      return 3;
    case 'WAITING_FOR_MINING':
      return 4;
    case 'COMPLETED':
      if (hasFailed(state)) return 4;
      return entries.length > 0 && entries.every(({ status, srr }) => status !== 'ISSUED' || srr?.metadata)
        ? 6
        : 5;
  }
}

const hasFailed = ({ issuance, entries }: IssueState) =>
  issuance?.status === 'REJECTED' ||
  issuance?.status === 'CANCELLED' ||
  (entries.length > 0 && entries.every(({ status }) => status === 'FAILED'));
