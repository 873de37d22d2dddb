import type { DocumentNode } from 'graphql';
import { alias, composeLists } from './compose-lists.ts';
import {
  CollectionsDocument,
  CustomHistoriesDocument,
  LicensedUsersDocument,
  SrrsDocument,
} from './generated.ts';
import { type Reader, read, type WithMeta } from './read.ts';
import type { Answer, At, ListQuery } from './records.ts';

/** The operation that reads a list of each kind. */
const documents = {
  srrs: SrrsDocument,
  collections: CollectionsDocument,
  licensedUsers: LicensedUsersDocument,
  customHistories: CustomHistoriesDocument,
} satisfies Record<string, DocumentNode>;

export type ListKind = keyof typeof documents;

/** The subgraph runs each list as a statement of its own, and all lists of a request share its time-out. */
const listLimit = 100;
/** The most rows of one answer: with their joined records about 20 MB. */
const rowLimit = 10_000;

type Query = ListQuery<object, string>;

/**
 * Reads many lists at once, such as one for each parent; they come in the order of the queries. Splits them
 * into requests within the limits, and reads all at the block of the first.
 */
export function readLists<Row>(
  reader: Reader,
  kind: ListKind,
  queries: readonly Query[],
  at: At,
): Promise<Answer<{ lists: Row[][] }>> {
  const [part = [], ...parts] = split(queries);
  const first = ask<Row>(reader, kind, part, at);
  return parts.length === 0 ? first : withRest(reader, kind, first, parts, at);
}

async function withRest<Row>(
  reader: Reader,
  kind: ListKind,
  reading: Promise<Answer<{ lists: Row[][] }>>,
  parts: readonly Query[][],
  at: At,
): Promise<Answer<{ lists: Row[][] }>> {
  const first = await reading;
  const rest = await Promise.all(
    parts.map((one) => ask<Row>(reader, kind, one, { ...at, block: first.block })),
  );
  const answers = [first, ...rest];
  return {
    block: first.block,
    hasIndexingErrors: answers.some(({ hasIndexingErrors }) => hasIndexingErrors),
    lists: answers.flatMap(({ lists }) => lists),
  };
}

async function ask<Row>(
  reader: Reader,
  kind: ListKind,
  queries: readonly Query[],
  at: At,
): Promise<Answer<{ lists: Row[][] }>> {
  const { text, variables } = composeLists(documents[kind], queries);
  type Data = WithMeta & Record<string, unknown>;
  const listsOf = (data: Data) => queries.map((_, i) => data[alias(i)] as Row[]);
  const { data, ...seen } = await read<Data>(reader, at, {
    key: `${text.number} ${variables}`,
    send: (_sdk, block, send) => {
      const all = block ? `${variables.slice(0, -1)},"block":${JSON.stringify(block)}}` : variables;
      return send(`{"query":${text.json},"variables":${all}}`);
    },
    rows: (data) => (queries.length === 1 ? data[alias(0)] : listsOf(data).flat()),
  });
  return { ...seen, lists: listsOf(data) };
}

function split(queries: readonly Query[]): Query[][] {
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
