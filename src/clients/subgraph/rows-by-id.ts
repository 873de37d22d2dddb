import { LRUCache } from 'lru-cache';
import { type ListName, type ListReads, type Row, readLists } from './lists.ts';
import { maxAnswerRows, type Reader } from './read.ts';
import type { Answer, At, ListQuery } from './records.ts';
import { RowBatches, type RowKind } from './row-batches.ts';

/** Reads rows by their ids. */
export interface RowReads {
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

/** Makes the reads by id. They throw what the reader throws. */
export function rowReads(reader: Reader, { lists }: ListReads): RowReads {
  const batches = reader.cache && new RowBatches(reader.cache);

  /** One row, in one request with those that other callers look for. */
  const readOne = async <Name extends ListName>(
    batches: RowBatches,
    { name, id, at, select }: { name: Name; id: string; at: At; select: string | undefined },
  ): Promise<Answer<{ rows: Map<string, Row<Name>> }>> => {
    const { data, ...seen } = await batches.read(kindOf(name, select), id, at, async (ids, at) => {
      const query = { where: { id_in: ids }, first: ids.length, select: withId(select) };
      const { lists, ...seen } = await readLists({ ask: reader.ask }, name, [query], at);
      return { ...seen, rows: byId(lists) };
    });
    const row = data.row as Row<Name> | undefined;
    return { ...seen, rows: new Map(row && [[id, row]]) };
  };

  return {
    async byIds(name, ids, at = {}, select) {
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
      const [first = ''] = unique;
      if (batches && unique.length === 1 && !at.newest && ownIds.has(name))
        return readOne(batches, { name, id: first, at, select });
      const queries: ListQuery<object, string>[] = [];
      for (let from = 0; from === 0 || from < unique.length; from += pageLimit) {
        const id_in = unique.slice(from, from + pageLimit);
        queries.push({ where: { id_in }, first: id_in.length, select: withId(select) });
      }
      const { lists: rows, ...seen } = await lists(
        name,
        queries as Parameters<typeof lists<typeof name>>[1],
        at,
      );
      return { ...seen, rows: byId(rows) };
    },
  };
}

const withId = (select: string | undefined) => (select === undefined ? undefined : `id ${select}`);

const byId = <R extends { id: string }>(lists: R[][]) => new Map(lists.flat().map((row) => [row.id, row]));

/**
 * Lists whose ids the gateway computes. An id that a caller wrote could make the subgraph refuse the request, and
 * with it the rows of other callers.
 */
const ownIds: ReadonlySet<ListName> = new Set<ListName>(['srrs', 'collections', 'licensedUsers']);

/** Enough for the requests of one turn of a busy event loop, and one statement of milliseconds for the subgraph. */
const maxRows = 100;

/** Kinds of rows by their list and columns: as many as there are selections in the documents of callers. */
const kinds = new LRUCache<string, Map<ListName, RowKind>>({ max: 1_000 });
let nextNumber = 0;

function kindOf(name: ListName, select = 'all'): RowKind {
  const ofColumns = kinds.get(select) ?? new Map<ListName, RowKind>();
  const kind = ofColumns.get(name) ?? { number: nextNumber++, limit: limitOf(select) };
  kinds.set(select, ofColumns.set(name, kind));
  return kind;
}

function limitOf(select: string): number {
  const sizes = [...select.matchAll(/\(first: (\d+)/g)].map(([, size]) => Number(size));
  const children = sizes.reduce((all, size) => all * size, 1);
  return Math.min(maxRows, Math.max(1, Math.floor(maxAnswerRows / children)));
}
