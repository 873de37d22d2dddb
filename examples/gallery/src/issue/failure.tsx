import type { EntryStateFragment } from '../gql/graphql.ts';
import { solvedBy } from '../gql/solved-by.ts';
import { navigate } from '../lib/router.tsx';
import { useWords } from '../words/words.ts';
import { fillsForm } from './entry.ts';
import { fillAgain } from './form.ts';
import { useIssueState } from './state.ts';

interface FailureProps {
  input: unknown;
  error: NonNullable<EntryStateFragment['error']>;
  name: string;
}

/** What went wrong, what to do about it, and a button to do it. */
export function Failure({ input, error, name }: FailureProps) {
  const words = useWords();
  const { phase } = useIssueState().draft;
  const busy = phase === 'uploading' || phase === 'sending';
  const solution = solvedBy[error.code] ?? 'input';
  const action = busy ? words.formBusy : words.fillAgain;
  return (
    <>
      <p className="fault" lang="en">
        {error.message}
      </p>
      <p>
        <strong>{words.whatToDo}:</strong> {words.advice[solution]}
      </p>
      {fillsForm(input) && (
        <button
          type="button"
          // The form is in use by the records that are being issued.
          disabled={busy}
          aria-label={`${action}: ${name}`}
          onClick={() => {
            fillAgain(input, error, { sameFiles: solution !== 'files' });
            navigate('/issue');
          }}
        >
          {action}
        </button>
      )}
    </>
  );
}
