import { CollectionsDocument, SrrsDocument } from './generated.ts';
import { alias, manyLists } from './many-lists.ts';
import { type Reader, readData, type WithMeta } from './read.ts';
import type {
  Answer,
  At,
  CollectionFilter,
  CollectionOrderBy,
  CollectionRecord,
  ListQuery,
  SrrFilter,
  SrrOrderBy,
  SrrRecord,
} from './records.ts';

/** Reads many lists at once, such as one for each parent. The lists come in the order of the queries. */
export interface ListReads {
  srrLists(
    queries: readonly ListQuery<SrrFilter, SrrOrderBy>[],
    at?: At,
  ): Promise<Answer<{ lists: SrrRecord[][] }>>;
  collectionLists(
    queries: readonly ListQuery<CollectionFilter, CollectionOrderBy>[],
    at?: At,
  ): Promise<Answer<{ lists: CollectionRecord[][] }>>;
}

/** The subgraph runs each list as a statement of its own, and all lists of a request share its time-out. */
const listLimit = 100;
/** The most rows of one answer: with their joined records about 20 MB. */
const rowLimit = 10_000;

/** Makes the reads of many lists. They throw what `reader` throws. */
export function listReads(reader: Reader): ListReads {
  return {
    srrLists: (queries, at = {}) =>
      inRequests(queries, at, (part, pinned) => ask<SrrRecord>(reader, SrrsDocument, part, pinned)),
    collectionLists: (queries, at = {}) =>
      inRequests(queries, at, (part, pinned) =>
        ask<CollectionRecord>(reader, CollectionsDocument, part, pinned),
      ),
  };
}

type Query = ListQuery<object, string>;

async function ask<Row extends { id: string }>(
  reader: Reader,
  document: typeof SrrsDocument,
  queries: readonly Query[],
  at: At,
): Promise<Answer<{ lists: Row[][] }>> {
  const { text, variables } = manyLists(document, queries);
  const lists = (data: WithMeta & Record<string, unknown>) => queries.map((_, i) => data[alias(i)] as Row[]);
  const { data, ...seen } = await readData(
    reader,
    at,
    (_sdk, block, send) => send<WithMeta & Record<string, unknown>>(text, { ...variables, block }),
    (data) => lists(data).flat(),
  );
  return { ...seen, lists: lists(data) };
}

/** Splits the queries into requests within the limits, and reads all at the block of the first. */
async function inRequests<Q extends { first: number }, Row>(
  queries: readonly Q[],
  at: At,
  read: (part: Q[], at: At) => Promise<Answer<{ lists: Row[][] }>>,
): Promise<Answer<{ lists: Row[][] }>> {
  const [part = [], ...parts] = split(queries);
  const first = await read(part, at);
  const rest = await Promise.all(parts.map((one) => read(one, { ...at, block: first.block })));
  const answers = [first, ...rest];
  return {
    block: first.block,
    hasIndexingErrors: answers.some(({ hasIndexingErrors }) => hasIndexingErrors),
    lists: answers.flatMap(({ lists }) => lists),
  };
}

function split<Q extends { first: number }>(queries: readonly Q[]): Q[][] {
  const parts: Q[][] = [];
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
