import type { EntryOutcomeFragment } from '../gql/graphql.ts';
import { fillsForm } from '../issue/entry.ts';
import { fillAgain } from '../issue/form.ts';
import { useIssueState } from '../issue/state.ts';
import { Link, navigate, recordPath } from '../lib/router.tsx';
import { useWords } from '../words/words.ts';
import { remedyOf } from './remedy.ts';

export function Entry({ entry }: { entry: EntryOutcomeFragment }) {
  const words = useWords();
  const { externalId, status, error, srr, input } = entry;
  const name = (fillsForm(input) && input.metadata.name) || externalId;
  return (
    <li className="entry">
      <p>
        {srr && status === 'ISSUED' ? <Link to={recordPath(srr)}>{name}</Link> : name}{' '}
        <span className="quiet">{words.status[status]}</span>
      </p>
      {error && <Failure input={input} error={error} name={name} />}
    </li>
  );
}

interface FailureProps {
  input: unknown;
  error: NonNullable<EntryOutcomeFragment['error']>;
  name: string;
}

/** What went wrong, what to do about it, and the way to do it. */
function Failure({ input, error, name }: FailureProps) {
  const words = useWords();
  const { phase } = useIssueState().draft;
  const busy = phase === 'uploading' || phase === 'sending';
  const remedy = remedyOf(error.code);
  const action = busy ? words.formBusy : words.fillAgain;
  return (
    <>
      <p className="fault" lang="en">
        {error.message}
      </p>
      <p>
        <strong>{words.whatToDo}:</strong> {words.remedies[remedy]}
      </p>
      {fillsForm(input) && (
        <button
          type="button"
          // The form belongs to the records that are on their way.
          disabled={busy}
          aria-label={`${action}: ${name}`}
          onClick={() => {
            fillAgain(input, error, { sameFiles: remedy !== 'files' });
            navigate('/issue');
          }}
        >
          {action}
        </button>
      )}
    </>
  );
}
