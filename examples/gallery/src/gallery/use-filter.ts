import { useMemo } from 'react';
import type { SRRFilter, SRROrder } from '../gql/graphql.ts';
import { navigate, useRoute } from '../lib/router.tsx';

/** The filter is in the address of the page: it can be sent to others, and Back undoes it. */
export function useFilter() {
  const { params } = useRoute();
  const text = params.toString();
  return useMemo(() => {
    const chosen = new URLSearchParams(text);
    const where: SRRFilter = {};
    const artist = chosen.get('artist');
    const collection = chosen.get('collection');
    const transfers = chosen.get('transfers');
    if (artist) where.artist = artist;
    if (collection === 'registry') where.inRegistry = true;
    else if (collection) where.collection = collection;
    if (transfers) where.lockExternalTransfer = transfers === 'locked';
    if (chosen.get('issuer') === 'primary') where.isPrimaryIssuer = true;
    const orderBy = (chosen.get('order') ?? 'CREATED_AT_DESC') as SRROrder;
    return { where, orderBy, value: (name: string) => chosen.get(name) ?? '', any: text !== '' };
  }, [text]);
}

export function setFilter(name: string, value: string) {
  const params = new URLSearchParams(location.search);
  if (value) params.set(name, value);
  else params.delete(name);
  navigate(`/${params.size ? `?${params}` : ''}`);
}
