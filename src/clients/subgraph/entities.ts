import { type ListKind, readLists } from './lists.ts';
import { inChunks, type Reader } from './read.ts';
import type {
  Answer,
  At,
  CollectionFilter,
  CollectionOrderBy,
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserFilter,
  LicensedUserOrderBy,
  LicensedUserRecord,
  ListQuery,
  SrrFilter,
  SrrOrderBy,
  SrrRecord,
} from './records.ts';

export type SrrQuery = ListQuery<SrrFilter, SrrOrderBy>;
export type CollectionQuery = ListQuery<CollectionFilter, CollectionOrderBy>;
export type LicensedUserQuery = ListQuery<LicensedUserFilter, LicensedUserOrderBy>;

/**
 * Reads records, licensed users and collections. Reads by id return maps by id; unknown ids are absent.
 * `select` names the columns to ask for, as in `ListQuery`.
 */
export interface EntityReads {
  /** Each record comes with its collection, issuer and artist. */
  srrsByIds(
    ids: readonly string[],
    at?: At,
    select?: string,
  ): Promise<Answer<{ srrs: Map<string, SrrRecord> }>>;
  srrs(query: SrrQuery, at?: At): Promise<Answer<{ srrs: SrrRecord[] }>>;
  /** Many lists at once, such as one for each parent, in the order of the queries. */
  srrLists(queries: readonly SrrQuery[], at?: At): Promise<Answer<{ lists: SrrRecord[][] }>>;
  /** Keyed by address in lower case; `addresses` may be in any case. */
  licensedUsersByAddresses(
    addresses: readonly string[],
    at?: At,
    select?: string,
  ): Promise<Answer<{ licensedUsers: Map<string, LicensedUserRecord> }>>;
  /** Keyed by address in lower case; `addresses` may be in any case. */
  collectionsByAddresses(
    addresses: readonly string[],
    at?: At,
    select?: string,
  ): Promise<Answer<{ collections: Map<string, CollectionRecord> }>>;
  collections(query: CollectionQuery, at?: At): Promise<Answer<{ collections: CollectionRecord[] }>>;
  collectionLists(
    queries: readonly CollectionQuery[],
    at?: At,
  ): Promise<Answer<{ lists: CollectionRecord[][] }>>;
  licensedUserLists(
    queries: readonly LicensedUserQuery[],
    at?: At,
  ): Promise<Answer<{ lists: LicensedUserRecord[][] }>>;
  customHistoriesByIds(
    ids: readonly string[],
    at?: At,
  ): Promise<Answer<{ customHistories: Map<string, CustomHistoryRecord> }>>;
}

/** The subgraph returns at most this many rows in one list. */
const pageLimit = 1_000;

/** Makes the reads of records, users and collections. They throw what the reader throws. */
export function entityReads(reader: Reader): EntityReads {
  /** Asks in lower case, because all ids in the subgraph are hex in lower case. */
  const byIds = async <Row extends { id: string }>(
    kind: ListKind,
    ids: readonly string[],
    at: At,
    select?: string,
  ) => {
    const lower = ids.map((id) => id.toLowerCase());
    const { rows, ...seen } = await inChunks<Row>(lower, pageLimit, at, async (chunk, pinned) => {
      const query = {
        where: { id_in: chunk },
        first: chunk.length,
        ...(select !== undefined && { select: `id ${select}` }),
      };
      const { lists, ...seen } = await readLists<Row>(reader, kind, [query], pinned);
      return { ...seen, rows: lists[0] ?? [] };
    });
    return { ...seen, rows: new Map(rows.map((row) => [row.id, row])) };
  };
  return {
    async srrsByIds(ids, at = {}, select) {
      const { rows, ...seen } = await byIds<SrrRecord>('srrs', ids, at, select);
      return { ...seen, srrs: rows };
    },
    async srrs(query, at = {}) {
      const { lists, ...seen } = await readLists<SrrRecord>(reader, 'srrs', [query], at);
      return { ...seen, srrs: lists[0] ?? [] };
    },
    srrLists: (queries, at = {}) => readLists(reader, 'srrs', queries, at),
    async licensedUsersByAddresses(addresses, at = {}, select) {
      const { rows, ...seen } = await byIds<LicensedUserRecord>('licensedUsers', addresses, at, select);
      return { ...seen, licensedUsers: rows };
    },
    async collectionsByAddresses(addresses, at = {}, select) {
      const { rows, ...seen } = await byIds<CollectionRecord>('collections', addresses, at, select);
      return { ...seen, collections: rows };
    },
    async collections(query, at = {}) {
      const { lists, ...seen } = await readLists<CollectionRecord>(reader, 'collections', [query], at);
      return { ...seen, collections: lists[0] ?? [] };
    },
    collectionLists: (queries, at = {}) => readLists(reader, 'collections', queries, at),
    licensedUserLists: (queries, at = {}) => readLists(reader, 'licensedUsers', queries, at),
    async customHistoriesByIds(ids, at = {}) {
      const { rows, ...seen } = await byIds<CustomHistoryRecord>('customHistories', ids, at);
      return { ...seen, customHistories: rows };
    },
  };
}
