import { chunksOf } from '@srr-gateway/common/chunks';
import { fittingRows, type ListName, type ListReads, type Row } from './lists.ts';
import type { Answer, At } from './records.ts';

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
      const chunks = chunksOf(unique, Math.min(pageLimit, fittingRows(select)));
      const columns = select === undefined ? undefined : `id ${select}`;
      const queries = chunks.map((id_in) => ({ where: { id_in }, first: id_in.length, select: columns }));
      const asked = queries as Parameters<typeof lists<Name>>[1];
      const { lists: found, ...seen } = await lists(name, asked, at);
      return { ...seen, rows: new Map(found.flat().map((row) => [row.id, row])) };
    },
  };
}
