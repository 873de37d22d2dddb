import type { DocumentNode } from 'graphql';
import { alias, composeLists } from './compose-lists.ts';
import {
  CollectionsDocument,
  CustomHistoriesDocument,
  LicensedUsersDocument,
  SrrsDocument,
} from './generated.ts';
import { maxAnswerRows, readParts } from './parts.ts';
import type { RunQuery, SubgraphQuery, WithMeta } from './query.ts';
import type {
  At,
  AtBlock,
  CollectionFilter,
  CollectionOrderBy,
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserFilter,
  LicensedUserOrderBy,
  LicensedUserRecord,
  ListQuery,
  SrrFilter,
  SrrOrderBy,
  SrrRecord,
} from './records.ts';

/** The lists of the subgraph: their rows, and how they are filtered and sorted. */
interface Lists {
  /** Each record comes with its collection, issuer and artist. */
  srrs: { row: SrrRecord; query: ListQuery<SrrFilter, SrrOrderBy> };
  collections: { row: CollectionRecord; query: ListQuery<CollectionFilter, CollectionOrderBy> };
  licensedUsers: { row: LicensedUserRecord; query: ListQuery<LicensedUserFilter, LicensedUserOrderBy> };
  customHistories: { row: CustomHistoryRecord; query: ListQuery<{ id_in?: string[] }, 'id'> };
}

export type ListName = keyof Lists;
export type Row<Name extends ListName> = Lists[Name]['row'];

/** The operation that reads one list of each kind. */
const documents: Record<ListName, DocumentNode> = {
  srrs: SrrsDocument,
  collections: CollectionsDocument,
  licensedUsers: LicensedUsersDocument,
  customHistories: CustomHistoriesDocument,
};

/** Lists per request. The subgraph runs each as a statement of its own, and all share the request's time-out. */
const listLimit = 100;

type Query = ListQuery<object, string>;

/** Makes the reads of lists. They throw what `runQuery` throws. */
export const listReads = (runQuery: RunQuery) => ({
  /** Many lists at once, such as one for each parent, in the order of the queries. */
  lists<Name extends ListName>(
    name: Name,
    queries: readonly Lists[Name]['query'][],
    at: At = {},
  ): Promise<AtBlock<{ lists: Row<Name>[][] }>> {
    const parts = split(queries);
    const [only = [], ...others] = parts;
    if (others.length === 0) return readLists<Name>(runQuery, name, only, at);
    return readParts(parts, at, (part, pinned) => readLists<Name>(runQuery, name, part, pinned)).then(
      ({ parts, ...seen }) => ({ ...seen, lists: parts.flatMap(({ lists }) => lists) }),
    );
  },
});

export type ListReads = ReturnType<typeof listReads>;

/** Reads the lists of one request. */
async function readLists<Name extends ListName>(
  runQuery: RunQuery,
  name: Name,
  queries: readonly Query[],
  at: At,
): Promise<AtBlock<{ lists: Row<Name>[][] }>> {
  const { text, variables } = composeLists(documents[name], queries);
  type Data = WithMeta & Record<string, Row<Name>[]>;
  const listsOf = (data: Data) => queries.map((_, i) => data[alias(i)] as Row<Name>[]);
  const query: SubgraphQuery<Data> = {
    key: `${text.number} ${variables}`,
    send: (_sdk, block, send) => {
      const all = block ? `${variables.slice(0, -1)},"block":${JSON.stringify(block)}}` : variables;
      return send(`{"query":${text.json},"variables":${all}}`);
    },
    lists: listsOf,
  };
  const { data, ...seen } = await runQuery(query, at);
  return { ...seen, lists: listsOf(data) };
}

/** How many rows with these columns fit into an answer. */
export const fittingRows = (select: string | undefined): number =>
  Math.max(1, Math.floor(maxAnswerRows / rowsOf(select)));

/** The number of answer rows that one row with these columns may take: its children, who have none themselves. */
function rowsOf(select = ''): number {
  const sizes = [...select.matchAll(/\(first: (\d+)/g)].map(([, size]) => Number(size));
  return sizes.reduce((all, size) => all + size, 0) || 1;
}

/** The queries of each request. */
function split(queries: readonly Query[]): Query[][] {
  if (queries.length === 1) return [queries as Query[]];
  const parts: Query[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const query of queries) {
    const own = query.first * rowsOf(query.select);
    rows += own;
    const part = parts.at(-1);
    if (part && part.length < listLimit && rows <= maxAnswerRows) part.push(query);
    else {
      parts.push([query]);
      rows = own;
    }
  }
  return parts;
}
