import { inChunks, type Reader, read } from './read.ts';
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

/** Reads records, licensed users and collections. Reads by id return maps by id; unknown ids are absent. */
export interface EntityReads {
  /** Each record comes with its collection, issuer and artist. */
  srrsByIds(ids: readonly string[], at?: At): Promise<Answer<{ srrs: Map<string, SrrRecord> }>>;
  srrs(query: ListQuery<SrrFilter, SrrOrderBy>, at?: At): Promise<Answer<{ srrs: SrrRecord[] }>>;
  /** Keyed by address in lower case; `addresses` may be in any case. */
  licensedUsersByAddresses(
    addresses: readonly string[],
    at?: At,
  ): Promise<Answer<{ licensedUsers: Map<string, LicensedUserRecord> }>>;
  licensedUsers(
    query: ListQuery<LicensedUserFilter, LicensedUserOrderBy>,
    at?: At,
  ): Promise<Answer<{ licensedUsers: LicensedUserRecord[] }>>;
  /** Keyed by address in lower case; `addresses` may be in any case. */
  collectionsByAddresses(
    addresses: readonly string[],
    at?: At,
  ): Promise<Answer<{ collections: Map<string, CollectionRecord> }>>;
  collections(
    query: ListQuery<CollectionFilter, CollectionOrderBy>,
    at?: At,
  ): Promise<Answer<{ collections: CollectionRecord[] }>>;
  customHistoriesByIds(
    ids: readonly string[],
    at?: At,
  ): Promise<Answer<{ customHistories: Map<string, CustomHistoryRecord> }>>;
}

/** The subgraph returns at most this many rows in one list. */
const pageLimit = 1_000;

type List<Filter, OrderBy, Row> = (
  query: ListQuery<Filter, OrderBy>,
  at: At,
) => Promise<Answer<{ rows: Row[] }>>;

/** Makes the reads of records, users and collections. They throw what `reader` throws. */
export function entityReads(reader: Reader): EntityReads {
  const srrs: List<SrrFilter, SrrOrderBy, SrrRecord> = (query, at) =>
    read(
      reader,
      at,
      (sdk, block) => sdk.Srrs({ ...arguments_(query), block }),
      (data) => data.srrs,
    );
  const users: List<LicensedUserFilter, LicensedUserOrderBy, LicensedUserRecord> = (query, at) =>
    read(
      reader,
      at,
      (sdk, block) => sdk.LicensedUsers({ ...arguments_(query), block }),
      (data) => data.licensedUserWallets,
    );
  const collections: List<CollectionFilter, CollectionOrderBy, CollectionRecord> = (query, at) =>
    read(
      reader,
      at,
      (sdk, block) => sdk.Collections({ ...arguments_(query), block }),
      (data) => data.collections,
    );
  const histories: List<{ id_in?: string[] }, 'id', CustomHistoryRecord> = ({ where, first }, at) =>
    read(
      reader,
      at,
      (sdk, block) => sdk.CustomHistories({ where, first, block }),
      (data) => data.customHistories,
    );
  return {
    async srrsByIds(ids, at = {}) {
      const { rows, ...seen } = await byIds(srrs, ids, at);
      return { ...seen, srrs: rows };
    },
    async srrs(query, at = {}) {
      const { rows, ...seen } = await srrs(query, at);
      return { ...seen, srrs: rows };
    },
    async licensedUsersByAddresses(addresses, at = {}) {
      const { rows, ...seen } = await byIds(users, addresses, at);
      return { ...seen, licensedUsers: rows };
    },
    async licensedUsers(query, at = {}) {
      const { rows, ...seen } = await users(query, at);
      return { ...seen, licensedUsers: rows };
    },
    async collectionsByAddresses(addresses, at = {}) {
      const { rows, ...seen } = await byIds(collections, addresses, at);
      return { ...seen, collections: rows };
    },
    async collections(query, at = {}) {
      const { rows, ...seen } = await collections(query, at);
      return { ...seen, collections: rows };
    },
    async customHistoriesByIds(ids, at = {}) {
      const { rows, ...seen } = await byIds(histories, ids, at);
      return { ...seen, customHistories: rows };
    },
  };
}

function arguments_<Filter, OrderBy>(query: ListQuery<Filter, OrderBy>) {
  const { where, first, orderBy, direction } = query;
  return { where, first, orderBy, orderDirection: direction };
}

/** Asks in lower case, because all ids in the subgraph are hex in lower case. */
async function byIds<OrderBy, Row extends { id: string }>(
  list: List<{ id_in?: string[] }, OrderBy, Row>,
  ids: readonly string[],
  at: At,
): Promise<Answer<{ rows: Map<string, Row> }>> {
  const lower = ids.map((id) => id.toLowerCase());
  const { rows, ...seen } = await inChunks(lower, pageLimit, at, (chunk, pinned) =>
    list({ where: { id_in: chunk }, first: chunk.length }, pinned),
  );
  return { ...seen, rows: new Map(rows.map((row) => [row.id, row])) };
}
