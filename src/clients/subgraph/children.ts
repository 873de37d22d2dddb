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

/** Children of each record by its id, oldest first; a record that the index does not have is absent. */
export type BySrr<Child> = Answer<{ bySrr: Map<string, Child[]> }>;

/** Histories of records: the same window of many records in one request. */
export interface ChildReads {
  /** In the order of `timestamp`. */
  provenancesOf(srrIds: readonly string[], window: Window, at?: At): Promise<BySrr<ProvenanceRecord>>;
  /** In the order of `createdAt`. */
  metadataHistoriesOf(
    srrIds: readonly string[],
    window: Window,
    at?: At,
  ): Promise<BySrr<MetadataHistoryRecord>>;
  /** In the order of `createdAt`. */
  customHistoriesOf(srrIds: readonly string[], window: Window, at?: At): Promise<BySrr<SrrHistoryRecord>>;
}

// Rows in one answer: the parents of a request are as many as keep it below this.
const rowLimit = 10_000;

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
