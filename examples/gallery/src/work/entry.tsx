import type { WorkEntryFragment } from '../gql/graphql.ts';
import { fillsForm } from '../issue/entry.ts';
import { Failure } from '../issue/failure.tsx';
import { Link, recordPath } from '../lib/router.tsx';
import { useWords } from '../words/words.ts';

export function Entry({ entry }: { entry: WorkEntryFragment }) {
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
