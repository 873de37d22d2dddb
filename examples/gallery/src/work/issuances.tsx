import { useQuery } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { MyWorkDocument } from '../gql/graphql.ts';
import { Link } from '../lib/router.tsx';
import { Notice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useWords } from '../words/words.ts';
import { Entry } from './entry.tsx';
import { feed } from './feed.ts';

const first = 10;

export function Issuances() {
  const words = useWords();
  const { data, loading, error, refetch, fetchMore } = useQuery(MyWorkDocument, {
    variables: { first },
    context: { signedIn: true },
    fetchPolicy: 'cache-and-network',
  });
  const [pageError, setPageError] = useState<Error>();
  const issuances = (data?.issuances?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  const page = data?.issuances?.pageInfo;
  const count = Math.max(first, issuances.length);
  // Each event may have settled an entry.
  const newest = feed.use().events[0]?.id;
  useEffect(() => {
    // The query shows its own error. It also rejects here when the user leaves the page meanwhile.
    if (newest) refetch({ first: count }).catch(() => {});
  }, [newest, count, refetch]);
  const more = () => {
    setPageError(undefined);
    fetchMore({ variables: { first, after: page?.endCursor } }).catch(setPageError);
  };
  return (
    <section aria-labelledby="issuances">
      <h2 id="issuances">{words.issuances}</h2>
      {error && <Notice error={error} retry={() => void refetch()} />}
      {issuances.length === 0 && !error && (
        <p className="quiet">
          {loading ? words.loading : words.noIssuances} {!loading && <Link to="/issue">{words.issue}</Link>}
        </p>
      )}
      <ul className="issuances">
        {issuances.map(({ id, status, createdAt, progress, entries, error }) => (
          <li key={id} className="issuance" data-status={status}>
            <h3>
              {words.status[status]} <span className="quiet">{`${progress.issued} / ${progress.total}`}</span>{' '}
              {progress.failed > 0 && (
                <span className="fault">
                  {words.failed}: {progress.failed}
                </span>
              )}
            </h3>
            <p className="quiet">
              <Time at={createdAt} clock />
            </p>
            {error && (
              <p className="fault" lang="en">
                {error.message}
              </p>
            )}
            <ul>
              {(entries.edges ?? []).map(
                (edge) => edge?.node && <Entry key={edge.node.id} entry={edge.node} />,
              )}
            </ul>
          </li>
        ))}
      </ul>
      {pageError && <Notice error={pageError} />}
      {page?.hasNextPage && (
        <button type="button" onClick={more}>
          {words.showMore}
        </button>
      )}
    </section>
  );
}
