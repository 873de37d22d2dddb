import { useWords } from '../words/words.ts';
import { startNew, stopAndEdit } from './form.ts';
import { Outcome } from './outcome.tsx';
import { type IssueState, useIssueState } from './state.ts';

/** From the upload to the mined picture, step by step as it happens. */
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
          <li key={name} data-state={index < now ? 'done' : index > now ? 'next' : failed ? 'failed' : 'now'}>
            <span aria-hidden="true">{index < now ? '✓' : index === now && failed ? '!' : index + 1}</span>
            <span aria-current={index === now ? 'step' : undefined}>
              {text}
              {index === now && failed && `: ${words.failed}`}
            </span>
          </li>
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

/** The place of the step that is under way, or that everything failed at. */
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
