import type { DocumentNode } from 'graphql';
import { alias, composeLists } from './compose-lists.ts';
import {
  CollectionsDocument,
  CustomHistoriesDocument,
  LicensedUsersDocument,
  SrrsDocument,
} from './generated.ts';
import { type Reader, read, type WithMeta } from './read.ts';
import type {
  Answer,
  At,
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

/** Reads lists of records, users, collections and custom histories. */
export interface ListReads {
  /** Many lists at once, such as one for each parent, in the order of the queries. */
  lists<Name extends ListName>(
    name: Name,
    queries: readonly Lists[Name]['query'][],
    at?: At,
  ): Promise<Answer<{ lists: Row<Name>[][] }>>;
  /**
   * The rows with these ids, in any letter case, by their ids in lower case; unknown ids are absent. `select`
   * names the columns, as in `ListQuery`.
   */
  byIds<Name extends ListName>(
    name: Name,
    ids: readonly string[],
    at?: At,
    select?: string,
  ): Promise<Answer<{ rows: Map<string, Row<Name>> }>>;
}

/** The subgraph returns at most this many rows in one list. */
const pageLimit = 1_000;
/** The subgraph runs each list as a statement of its own, and all lists of a request share its time-out. */
const listLimit = 100;
/** The most rows of one answer: with their joined records about 20 MB. */
const rowLimit = 10_000;

type Query = ListQuery<object, string>;

/** Makes the reads of lists. They throw what the reader throws. */
export function listReads(reader: Reader): ListReads {
  const lists: ListReads['lists'] = (name, queries, at = {}) => {
    const [first = [], ...rest] = split(queries);
    const reading = ask<Row<typeof name>>(reader, documents[name], first, at);
    return rest.length === 0 ? reading : withRest(reader, documents[name], reading, rest, at);
  };
  return {
    lists,
    async byIds(name, ids, at, select) {
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
      const columns = select === undefined ? undefined : { select: `id ${select}` };
      const queries: Query[] = [];
      for (let from = 0; from === 0 || from < unique.length; from += pageLimit) {
        const id_in = unique.slice(from, from + pageLimit);
        queries.push({ where: { id_in }, first: id_in.length, ...columns });
      }
      const answer = await lists(name, queries as Lists[typeof name]['query'][], at);
      const { block, hasIndexingErrors } = answer;
      return { block, hasIndexingErrors, rows: new Map(answer.lists.flat().map((row) => [row.id, row])) };
    },
  };
}

/** Reads the lists of one request. */
async function ask<R>(
  reader: Reader,
  document: DocumentNode,
  queries: readonly Query[],
  at: At,
): Promise<Answer<{ lists: R[][] }>> {
  const { text, variables } = composeLists(document, queries);
  type Data = WithMeta & Record<string, R[]>;
  const listsOf = (data: Data) => queries.map((_, i) => data[alias(i)] as R[]);
  const { data, block, hasIndexingErrors } = await read<Data>(reader, at, {
    key: `${text.number} ${variables}`,
    send: (_sdk, block, send) => {
      const all = block ? `${variables.slice(0, -1)},"block":${JSON.stringify(block)}}` : variables;
      return send(`{"query":${text.json},"variables":${all}}`);
    },
    rows: (data) => (queries.length === 1 ? data[alias(0)] : listsOf(data).flat()),
  });
  return { block, hasIndexingErrors, lists: listsOf(data) };
}

/** Reads what does not fit into the first request, all at the block of that one. */
async function withRest<R>(
  reader: Reader,
  document: DocumentNode,
  reading: Promise<Answer<{ lists: R[][] }>>,
  parts: readonly Query[][],
  at: At,
): Promise<Answer<{ lists: R[][] }>> {
  const first = await reading;
  const pinned = { ...at, block: first.block };
  const rest = await Promise.all(parts.map((part) => ask<R>(reader, document, part, pinned)));
  const answers = [first, ...rest];
  return {
    block: first.block,
    hasIndexingErrors: answers.some(({ hasIndexingErrors }) => hasIndexingErrors),
    lists: answers.flatMap(({ lists }) => lists),
  };
}

/** The queries of each request. */
function split(queries: readonly Query[]): Query[][] {
  if (queries.length === 1) return [queries as Query[]];
  const parts: Query[][] = [];
  let rows = Number.POSITIVE_INFINITY;
  for (const query of queries) {
    rows += query.first;
    const part = parts.at(-1);
    if (part && part.length < listLimit && rows <= rowLimit) part.push(query);
    else {
      parts.push([query]);
      rows = query.first;
    }
  }
  return parts;
}
