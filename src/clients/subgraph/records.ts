import type {
  Collection_Filter,
  Collection_OrderBy,
  CollectionFragment,
  CustomHistoryFragment,
  LicensedUserFragment,
  LicensedUserWallet_Filter,
  LicensedUserWallet_OrderBy,
  MetadataHistoryFragment,
  OrderDirection,
  ProvenanceFragment,
  Srr_Filter,
  Srr_OrderBy,
  SrrFragment,
  SrrHistoryFragment,
} from './generated.ts';

// As in the subgraph, addresses and bytes are in lower case, and times are milliseconds as decimal text.

export type SrrRecord = SrrFragment;
export type LicensedUserRecord = LicensedUserFragment;
/** Older subgraph versions do not have `creatorAddress`. */
export type CollectionRecord = Omit<CollectionFragment, 'creatorAddress'> & {
  creatorAddress?: string | null;
};
export type ProvenanceRecord = ProvenanceFragment;
export type MetadataHistoryRecord = MetadataHistoryFragment;
export type CustomHistoryRecord = CustomHistoryFragment;
/** A record's part in a custom history. */
export type SrrHistoryRecord = SrrHistoryFragment;

export type SrrFilter = Srr_Filter;
export type SrrOrderBy = Srr_OrderBy;
export type LicensedUserFilter = LicensedUserWallet_Filter;
export type LicensedUserOrderBy = LicensedUserWallet_OrderBy;
export type CollectionFilter = Collection_Filter;
export type CollectionOrderBy = Collection_OrderBy;
export type { OrderDirection };

/** One block, by its hash where known: after a reorganisation its number belongs to another block. */
export interface BlockRef {
  number: number;
  hash?: string | undefined;
}

/** At which block to read, and until when. */
export interface At {
  /** Absent: the newest indexed block. */
  block?: BlockRef | undefined;
  /** Asks the subgraph even when the cache knows the newest block, for something that just happened. */
  newest?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** The block that an answer was read at. Hash and time are unknown when it was asked for by number. */
export interface IndexedBlock extends BlockRef {
  /** Seconds since 1970. */
  timestamp?: number;
}

/** What was read, and at which block. */
export type AtBlock<T> = {
  block: IndexedBlock;
  /** The older schema of a later endpoint lacks fields that the first one may have when it is back. */
  trimmed?: boolean;
} & T;

/** A page of a list, sorted by `orderBy` and then by id, both in the same direction. */
export interface ListQuery<Filter, OrderBy> {
  where?: Filter;
  /** `id` when absent. */
  orderBy?: OrderBy;
  direction?: OrderDirection;
  /** At most 1,000. */
  first: number;
  /**
   * The columns to ask for, as a GraphQL selection; absent: all that the gateway knows. Rows then have only
   * these, whatever their type says. Never text of a caller: it becomes part of the query.
   */
  select?: string | undefined;
}

/** The sort value and id of the last row seen. */
export interface Key {
  value: string;
  id: string;
}

/** The oldest children of each parent, or those after a key. */
export interface Window {
  /** How many of each parent, at most 1,000. */
  first: number;
  after?: Key | undefined;
}

/** A filter for the rows after a key. Pages made with it repeat and lose no row, however deep. */
export function afterKey<Filter>(field: string, key: Key, direction: OrderDirection = 'asc'): Filter {
  const beyond = direction === 'asc' ? 'gt' : 'lt';
  const { value, id } = key;
  return { or: [{ [`${field}_${beyond}`]: value }, { [field]: value, [`id_${beyond}`]: id }] } as Filter;
}
