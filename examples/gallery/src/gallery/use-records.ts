import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useCallback, useState } from 'react';
import { GalleryDocument, type SRRFilter, type SRROrder } from '../gql/graphql.ts';
import { useLanguage } from '../lib/settings.ts';

/** About three screens, so that the next page loads before the user reaches its end. */
const first = 24;

/** The records, page by page. All pages of one scroll are read at one block, so no record is repeated or left out. */
export function useRecords(where: SRRFilter, orderBy: SRROrder) {
  const languages = [useLanguage()];
  const { data, error, loading, fetchMore, refetch } = useQuery(GalleryDocument, {
    variables: { languages, where, orderBy, first },
    notifyOnNetworkStatusChange: true,
  });
  const [failure, setFailure] = useState<{ after: string | null | undefined; error: Error }>();
  const page = data?.srrs?.pageInfo;
  const endCursor = page?.endCursor;
  // Only for this filter: the list of another one may continue.
  const pageError = failure?.after === endCursor ? failure?.error : undefined;
  const more = useCallback(() => {
    setFailure(undefined);
    const from = (after: string | null | undefined) => fetchMore({ variables: { after } });
    from(endCursor)
      .catch((thrown: unknown) => from(continueAfter(thrown)))
      .catch((error: Error) => setFailure({ after: endCursor, error }));
  }, [fetchMore, endCursor]);
  const records = (data?.srrs?.edges ?? []).flatMap((edge) => edge?.node ?? []);
  return {
    records,
    loading,
    hasMore: page?.hasNextPage ?? false,
    error: pageError ?? (records.length === 0 ? error : undefined),
    more,
    again: () => (pageError ? more() : void refetch()),
  };
}

/** The block of a long scroll may be gone; the error then has the cursor to continue with at the newest block. */
function continueAfter(thrown: unknown): string {
  const errors = CombinedGraphQLErrors.is(thrown) ? thrown.errors : [];
  const place = errors.find(({ extensions }) => extensions?.code === 'CURSOR_EXPIRED')?.extensions;
  if (typeof place?.continueAfter !== 'string') throw thrown;
  return place.continueAfter;
}
