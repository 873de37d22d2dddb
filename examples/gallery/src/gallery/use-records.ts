import { CombinedGraphQLErrors } from '@apollo/client';
import { useQuery } from '@apollo/client/react';
import { useCallback, useState } from 'react';
import { GalleryDocument, type SRRFilter, type SRROrder } from '../gql/graphql.ts';
import { useLanguage } from '../lib/settings.ts';

/** About three screens: the next page comes before its place is reached. */
const first = 24;

/** The records in pages. All pages of one scroll are read at one block: none repeats and none is left out. */
export function useRecords(where: SRRFilter, orderBy: SRROrder) {
  const languages = [useLanguage()];
  const { data, error, loading, fetchMore, refetch } = useQuery(GalleryDocument, {
    variables: { languages, where, orderBy, first },
    notifyOnNetworkStatusChange: true,
  });
  const [failure, setFailure] = useState<{ after: string | null | undefined; error: Error }>();
  const page = data?.srrs?.pageInfo;
  const endCursor = page?.endCursor;
  // Of these records: those of another filter may go on.
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

/** The block of a long scroll may be gone; the error then says where the newest block goes on. */
function continueAfter(thrown: unknown): string {
  const errors = CombinedGraphQLErrors.is(thrown) ? thrown.errors : [];
  const place = errors.find(({ extensions }) => extensions?.code === 'CURSOR_EXPIRED')?.extensions;
  if (typeof place?.continueAfter !== 'string') throw thrown;
  return place.continueAfter;
}
