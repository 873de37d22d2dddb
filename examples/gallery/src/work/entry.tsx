import type { MyWorkQuery } from '../gql/graphql.ts';
import { Link, recordPath } from '../lib/router.tsx';
import { useWords } from '../words/words.ts';
import { remedyOf } from './remedy.ts';

type Issuances = NonNullable<MyWorkQuery['issuances']>['edges'];
type Issuance = NonNullable<NonNullable<NonNullable<Issuances>[number]>['node']>;
type AnEntry = NonNullable<NonNullable<NonNullable<Issuance['entries']['edges']>[number]>['node']>;

export function Entry({ entry }: { entry: AnEntry }) {
  const words = useWords();
  const { externalId, status, error, srr, input } = entry;
  const name = (input as { metadata?: { name?: string } } | null)?.metadata?.name || externalId;
  return (
    <li className="entry">
      {srr && status === 'ISSUED' ? <Link to={recordPath(srr)}>{name}</Link> : name}{' '}
      <span className="quiet">{words.status[status]}</span>
      {error && (
        <>
          <p className="fault" lang="en">
            {error.message}
          </p>
          <p>
            <strong>{words.whatToDo}:</strong> {words.remedies[remedyOf(error.code)]}
          </p>
        </>
      )}
    </li>
  );
}
