import type { Endpoint } from './endpoints.ts';
import type { Values } from './result.ts';

interface PageInfo {
  hasNextPage: boolean;
  hasPreviousPage?: boolean;
  startCursor?: string | null;
  endCursor: string | null;
}

/**
 * The `Link` header (RFC 8288) to the previous and next page; undefined without either. `basePath` is the path of the
 * gateway's public address.
 */
export function linksOf(
  { paged }: Endpoint,
  shown: Values,
  { pathname, searchParams }: URL,
  basePath: string,
): string | undefined {
  const list = paged && (paged.list === '' ? shown : shown[paged.list]);
  if (!list) return undefined;
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = (list as { pageInfo: PageInfo }).pageInfo;
  const size = searchParams.get('first') ?? searchParams.get('last');
  const link = (rel: string, changes: Record<string, string | null | undefined>) => {
    const query = new URLSearchParams(searchParams);
    for (const [name, value] of Object.entries(changes)) {
      query.delete(name);
      if (value) query.set(name, value);
    }
    return `<${basePath}${pathname}?${query}>; rel="${rel}"`;
  };
  // Only a list that is the whole answer can be read backward.
  const forward = paged.list === '' && { before: null, last: null, first: size };
  // An empty page has no cursor (first=0): its link would lead to itself, for ever.
  const links = [
    ...(hasNextPage && endCursor ? [link('next', { ...forward, [paged.after]: endCursor })] : []),
    ...(hasPreviousPage && startCursor
      ? [link('prev', { after: null, first: null, before: startCursor, last: size ?? '20' })]
      : []),
  ];
  return links.length > 0 ? links.join(', ') : undefined;
}
