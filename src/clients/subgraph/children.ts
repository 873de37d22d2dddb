import { inChunks, type Reader, read } from './read.ts';
import {
  type Answer,
  type At,
  afterKey,
  type MetadataHistoryRecord,
  type ProvenanceRecord,
  type SrrHistoryRecord,
  type Window,
} from './records.ts';

/** Children of each record by its id, oldest first; a record that the subgraph does not have is absent. */
export type BySrr<Child> = Answer<{ bySrr: Map<string, Child[]> }>;

/** Reads the histories of many records in one request, the same window of each. */
export interface ChildReads {
  /** Sorted by `timestamp`. */
  provenancesOf(srrIds: readonly string[], window: Window, at?: At): Promise<BySrr<ProvenanceRecord>>;
  /** Sorted by `createdAt`. */
  metadataHistoriesOf(
    srrIds: readonly string[],
    window: Window,
    at?: At,
  ): Promise<BySrr<MetadataHistoryRecord>>;
  /** Sorted by `createdAt`. */
  customHistoriesOf(srrIds: readonly string[], window: Window, at?: At): Promise<BySrr<SrrHistoryRecord>>;
}

// The most rows of one answer: a request takes only as many parents as stay within it.
const rowLimit = 10_000;

/** Makes the reads of histories. They throw what `reader` throws. */
export function childReads(reader: Reader): ChildReads {
  return {
    provenancesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, (variables, pinned) =>
        read(
          reader,
          pinned,
          (sdk, block) => sdk.ProvenanceOf({ ...variables('timestamp'), block }),
          ({ srrs }) => srrs.map(({ id, provenance }) => ({ id, children: provenance })),
        ),
      ),
    metadataHistoriesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, (variables, pinned) =>
        read(
          reader,
          pinned,
          (sdk, block) => sdk.MetadataHistoryOf({ ...variables('createdAt'), block }),
          ({ srrs }) => srrs.map(({ id, metadataHistory }) => ({ id, children: metadataHistory })),
        ),
      ),
    customHistoriesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, (variables, pinned) =>
        read(
          reader,
          pinned,
          (sdk, block) => sdk.CustomHistoriesOf({ ...variables('createdAt'), block }),
          ({ srrs }) => srrs.map(({ id, history }) => ({ id, children: history })),
        ),
      ),
  };
}

interface Variables {
  ids: string[];
  count: number;
  first: number;
  where: object;
}

type Parent<Child> = { id: string; children: Child[] };

async function bySrr<Child>(
  ids: readonly string[],
  { first, after }: Window,
  at: At,
  readParents: (
    variables: (sortedBy: string) => Variables,
    at: At,
  ) => Promise<Answer<{ rows: Parent<Child>[] }>>,
): Promise<BySrr<Child>> {
  const size = Math.min(1_000, Math.max(1, Math.floor(rowLimit / first)));
  const { rows, ...seen } = await inChunks(ids, size, at, (chunk, pinned) => {
    const variables = (sortedBy: string) => ({
      ids: chunk,
      count: chunk.length,
      first,
      where: after ? afterKey<object>(sortedBy, after) : {},
    });
    return readParents(variables, pinned);
  });
  return { ...seen, bySrr: new Map(rows.map(({ id, children }) => [id, children])) };
}
