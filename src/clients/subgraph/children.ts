import { chunksOf } from '@srr-gateway/common/chunks';
import type { Sdk } from './generated.ts';
import { maxAnswerRows, readParts } from './parts.ts';
import type { QueryResponse, RunQuery, SubgraphQuery, WithMeta } from './query.ts';
import { type At, type AtBlock, afterKey, type Window } from './records.ts';

/** Makes the reads of histories. They throw what `runQuery` throws. */
export const childReads = (runQuery: RunQuery) => ({
  provenancesOf: childRead(runQuery, 'provenance', 'timestamp', (sdk, page) => sdk.ProvenanceOf(page)),
  metadataHistoriesOf: childRead(runQuery, 'metadataHistory', 'createdAt', (sdk, page) =>
    sdk.MetadataHistoryOf(page),
  ),
  customHistoriesOf: childRead(runQuery, 'history', 'createdAt', (sdk, page) => sdk.CustomHistoriesOf(page)),
});

/** The variables of an operation that reads the children of many records. */
type Page = Parameters<Sdk['ProvenanceOf']>[0];

type Data<Name extends string, Child> = WithMeta & { srrs: ({ id: string } & Record<Name, Child[]>)[] };

/**
 * Makes the read of one kind of children, sorted by `sortedBy`. One request reads the same window of one or more
 * records, oldest first. Returns the children by record id, without records that the subgraph does not have.
 */
function childRead<Name extends string, Child>(
  runQuery: RunQuery,
  name: Name,
  sortedBy: string,
  send: (sdk: Sdk, page: Page) => QueryResponse<Data<Name, Child>>,
) {
  return async (
    ids: readonly string[],
    { first, after }: Window,
    at: At = {},
  ): Promise<AtBlock<{ bySrr: Map<string, Child[]> }>> => {
    const size = Math.min(1_000, Math.floor(maxAnswerRows / first));
    const where = after ? afterKey<object>(sortedBy, after) : {};
    const { parts, ...seen } = await readParts(chunksOf([...new Set(ids)], size), at, (chunk, pinned) => {
      const page = { ids: chunk, count: chunk.length, first, where };
      const query: SubgraphQuery<Data<Name, Child>> = {
        key: name + JSON.stringify(page),
        send: (sdk, block) => send(sdk(), { ...page, block }),
        lists: ({ srrs }) => [srrs],
      };
      return runQuery(query, pinned);
    });
    const rows = parts.flatMap(({ data }) => data.srrs);
    return { ...seen, bySrr: new Map(rows.map((row) => [row.id, row[name]])) };
  };
}
