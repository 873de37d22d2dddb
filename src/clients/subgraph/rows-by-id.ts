import { fittingRows, type ListName, type ListReads, type Row } from './lists.ts';
import type { Answer, At, ListQuery } from './records.ts';

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
export function rowReads({ lists }: ListReads): RowReads {
  return {
    async byIds<Name extends ListName>(name: Name, ids: readonly string[], at: At = {}, select?: string) {
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
      const size = Math.min(pageLimit, fittingRows(select));
      const queries: ListQuery<object, string>[] = [];
      for (let from = 0; from === 0 || from < unique.length; from += size) {
        const id_in = unique.slice(from, from + size);
        const columns = select === undefined ? undefined : `id ${select}`;
        queries.push({ where: { id_in }, first: id_in.length, select: columns });
      }
      const asked = queries as Parameters<typeof lists<Name>>[1];
      const { lists: found, ...seen } = await lists(name, asked, at);
      return { ...seen, rows: new Map(found.flat().map((row) => [row.id, row])) };
    },
  };
}
