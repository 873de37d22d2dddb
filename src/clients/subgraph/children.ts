import { chunksOf } from '@srr-gateway/common/chunks';
import { maxAnswerRows, type Question, type Reader, read, readParts, type WithMeta } from './read.ts';
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

/** Reads the histories of one or more records in one request, the same window of each. */
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

/** Makes the reads of histories. They throw what `reader` throws. */
export function childReads(reader: Reader): ChildReads {
  return {
    provenancesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, 'timestamp', (variables, pinned) =>
        parents(reader, pinned, 'provenance', variables, (sdk, block) =>
          sdk().ProvenanceOf({ ...variables, block }),
        ),
      ),
    metadataHistoriesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, 'createdAt', (variables, pinned) =>
        parents(reader, pinned, 'metadataHistory', variables, (sdk, block) =>
          sdk().MetadataHistoryOf({ ...variables, block }),
        ),
      ),
    customHistoriesOf: (ids, window, at = {}) =>
      bySrr(ids, window, at, 'createdAt', (variables, pinned) =>
        parents(reader, pinned, 'history', variables, (sdk, block) =>
          sdk().CustomHistoriesOf({ ...variables, block }),
        ),
      ),
  };
}

async function parents<Name extends string, Child>(
  reader: Reader,
  at: At,
  name: Name,
  variables: Variables,
  send: Question<WithMeta & { srrs: ({ id: string } & Record<Name, Child[]>)[] }>['send'],
): Promise<Answer<{ rows: Parent<Child>[] }>> {
  const { data, ...seen } = await read(reader, at, {
    key: name + JSON.stringify(variables),
    send,
    rows: ({ srrs }) => srrs,
  });
  return { ...seen, rows: data.srrs.map((row) => ({ id: row.id, children: row[name] })) };
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
  sortedBy: string,
  readParents: (variables: Variables, at: At) => Promise<Answer<{ rows: Parent<Child>[] }>>,
): Promise<BySrr<Child>> {
  const size = Math.min(1_000, Math.max(1, Math.floor(maxAnswerRows / first)));
  const where = after ? afterKey<object>(sortedBy, after) : {};
  const { parts, ...seen } = await readParts(chunksOf([...new Set(ids)], size), at, (chunk, pinned) =>
    readParents({ ids: chunk, count: chunk.length, first, where }, pinned),
  );
  const rows = parts.flatMap(({ rows }) => rows);
  return { ...seen, bySrr: new Map(rows.map(({ id, children }) => [id, children])) };
}
