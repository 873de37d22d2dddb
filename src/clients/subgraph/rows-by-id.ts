import { chunksOf } from '@srr-gateway/common/chunks';
import { fittingRows, type ListName, type ListReads, type Row } from './lists.ts';
import type { At, AtBlock } from './records.ts';

/** The subgraph returns at most this many rows in one list. */
const pageLimit = 1_000;

/** The distinct keys, in chunks whose rows fit into one list. */
export const fittingChunks = (keys: readonly string[], select?: string): string[][] =>
  chunksOf([...new Set(keys)], Math.min(pageLimit, fittingRows(select)));

/** Makes the reads by id. They throw what `lists` throws. */
export const rowReads = ({ lists }: ListReads) => ({
  /**
   * The rows with these ids, in any letter case, by their ids in lower case; unknown ids are absent. `select`
   * names the columns, as in `ListQuery`.
   */
  async byIds<Name extends ListName>(
    name: Name,
    ids: readonly string[],
    at: At = {},
    select?: string,
  ): Promise<AtBlock<{ rows: Map<string, Row<Name>> }>> {
    const lowerCase = ids.map((id) => id.toLowerCase());
    const columns = select === undefined ? undefined : `id ${select}`;
    const queries = fittingChunks(lowerCase, select).map((id_in) => ({
      where: { id_in },
      first: id_in.length,
      select: columns,
    }));
    const sentQueries = queries as Parameters<typeof lists<Name>>[1];
    const { lists: found, ...seen } = await lists(name, sentQueries, at);
    return { ...seen, rows: new Map(found.flat().map((row) => [row.id, row])) };
  },
});

export type RowReads = ReturnType<typeof rowReads>;
