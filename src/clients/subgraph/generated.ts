/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import { type GraphQLClient, type RequestOptions } from 'graphql-request';
import { GraphQLError, print } from 'graphql'
import type { DocumentNode } from 'graphql';
type GraphQLClientRequestHeaders = RequestOptions['requestHeaders'];
export type BlockChangedFilter = {
  number_gte: number;
};

/** The block that a query is answered at. */
export type Block_Height = {
  /** The block with this hash. */
  hash?: string | null | undefined;
  /** The block of this number. */
  number?: number | null | undefined;
  /** The latest block, provided that it has at least this number. */
  number_gte?: number | null | undefined;
};

export type Collection_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<Collection_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  creatorAddress?: string | null | undefined;
  creatorAddress_contains?: string | null | undefined;
  creatorAddress_gt?: string | null | undefined;
  creatorAddress_gte?: string | null | undefined;
  creatorAddress_in?: Array<string> | null | undefined;
  creatorAddress_lt?: string | null | undefined;
  creatorAddress_lte?: string | null | undefined;
  creatorAddress_not?: string | null | undefined;
  creatorAddress_not_contains?: string | null | undefined;
  creatorAddress_not_in?: Array<string> | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  name?: string | null | undefined;
  name_contains?: string | null | undefined;
  name_contains_nocase?: string | null | undefined;
  name_ends_with?: string | null | undefined;
  name_ends_with_nocase?: string | null | undefined;
  name_gt?: string | null | undefined;
  name_gte?: string | null | undefined;
  name_in?: Array<string> | null | undefined;
  name_lt?: string | null | undefined;
  name_lte?: string | null | undefined;
  name_not?: string | null | undefined;
  name_not_contains?: string | null | undefined;
  name_not_contains_nocase?: string | null | undefined;
  name_not_ends_with?: string | null | undefined;
  name_not_ends_with_nocase?: string | null | undefined;
  name_not_in?: Array<string> | null | undefined;
  name_not_starts_with?: string | null | undefined;
  name_not_starts_with_nocase?: string | null | undefined;
  name_starts_with?: string | null | undefined;
  name_starts_with_nocase?: string | null | undefined;
  or?: Array<Collection_Filter | null | undefined> | null | undefined;
  ownerAddress?: string | null | undefined;
  ownerAddress_contains?: string | null | undefined;
  ownerAddress_gt?: string | null | undefined;
  ownerAddress_gte?: string | null | undefined;
  ownerAddress_in?: Array<string> | null | undefined;
  ownerAddress_lt?: string | null | undefined;
  ownerAddress_lte?: string | null | undefined;
  ownerAddress_not?: string | null | undefined;
  ownerAddress_not_contains?: string | null | undefined;
  ownerAddress_not_in?: Array<string> | null | undefined;
  salt?: string | null | undefined;
  salt_contains?: string | null | undefined;
  salt_gt?: string | null | undefined;
  salt_gte?: string | null | undefined;
  salt_in?: Array<string> | null | undefined;
  salt_lt?: string | null | undefined;
  salt_lte?: string | null | undefined;
  salt_not?: string | null | undefined;
  salt_not_contains?: string | null | undefined;
  salt_not_in?: Array<string> | null | undefined;
  srrs_?: Srr_Filter | null | undefined;
  symbol?: string | null | undefined;
  symbol_contains?: string | null | undefined;
  symbol_contains_nocase?: string | null | undefined;
  symbol_ends_with?: string | null | undefined;
  symbol_ends_with_nocase?: string | null | undefined;
  symbol_gt?: string | null | undefined;
  symbol_gte?: string | null | undefined;
  symbol_in?: Array<string> | null | undefined;
  symbol_lt?: string | null | undefined;
  symbol_lte?: string | null | undefined;
  symbol_not?: string | null | undefined;
  symbol_not_contains?: string | null | undefined;
  symbol_not_contains_nocase?: string | null | undefined;
  symbol_not_ends_with?: string | null | undefined;
  symbol_not_ends_with_nocase?: string | null | undefined;
  symbol_not_in?: Array<string> | null | undefined;
  symbol_not_starts_with?: string | null | undefined;
  symbol_not_starts_with_nocase?: string | null | undefined;
  symbol_starts_with?: string | null | undefined;
  symbol_starts_with_nocase?: string | null | undefined;
  updatedAt?: string | null | undefined;
  updatedAtStr?: string | null | undefined;
  updatedAtStr_contains?: string | null | undefined;
  updatedAtStr_contains_nocase?: string | null | undefined;
  updatedAtStr_ends_with?: string | null | undefined;
  updatedAtStr_ends_with_nocase?: string | null | undefined;
  updatedAtStr_gt?: string | null | undefined;
  updatedAtStr_gte?: string | null | undefined;
  updatedAtStr_in?: Array<string> | null | undefined;
  updatedAtStr_lt?: string | null | undefined;
  updatedAtStr_lte?: string | null | undefined;
  updatedAtStr_not?: string | null | undefined;
  updatedAtStr_not_contains?: string | null | undefined;
  updatedAtStr_not_contains_nocase?: string | null | undefined;
  updatedAtStr_not_ends_with?: string | null | undefined;
  updatedAtStr_not_ends_with_nocase?: string | null | undefined;
  updatedAtStr_not_in?: Array<string> | null | undefined;
  updatedAtStr_not_starts_with?: string | null | undefined;
  updatedAtStr_not_starts_with_nocase?: string | null | undefined;
  updatedAtStr_starts_with?: string | null | undefined;
  updatedAtStr_starts_with_nocase?: string | null | undefined;
  updatedAt_gt?: string | null | undefined;
  updatedAt_gte?: string | null | undefined;
  updatedAt_in?: Array<string> | null | undefined;
  updatedAt_lt?: string | null | undefined;
  updatedAt_lte?: string | null | undefined;
  updatedAt_not?: string | null | undefined;
  updatedAt_not_in?: Array<string> | null | undefined;
};

export type Collection_OrderBy =
  | 'createdAt'
  | 'createdAtStr'
  | 'creatorAddress'
  | 'id'
  | 'name'
  | 'ownerAddress'
  | 'salt'
  | 'srrs'
  | 'symbol'
  | 'updatedAt'
  | 'updatedAtStr';

export type CustomHistoryMetadataHistory_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<CustomHistoryMetadataHistory_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  customHistory?: string | null | undefined;
  customHistory_?: CustomHistory_Filter | null | undefined;
  customHistory_contains?: string | null | undefined;
  customHistory_contains_nocase?: string | null | undefined;
  customHistory_ends_with?: string | null | undefined;
  customHistory_ends_with_nocase?: string | null | undefined;
  customHistory_gt?: string | null | undefined;
  customHistory_gte?: string | null | undefined;
  customHistory_in?: Array<string> | null | undefined;
  customHistory_lt?: string | null | undefined;
  customHistory_lte?: string | null | undefined;
  customHistory_not?: string | null | undefined;
  customHistory_not_contains?: string | null | undefined;
  customHistory_not_contains_nocase?: string | null | undefined;
  customHistory_not_ends_with?: string | null | undefined;
  customHistory_not_ends_with_nocase?: string | null | undefined;
  customHistory_not_in?: Array<string> | null | undefined;
  customHistory_not_starts_with?: string | null | undefined;
  customHistory_not_starts_with_nocase?: string | null | undefined;
  customHistory_starts_with?: string | null | undefined;
  customHistory_starts_with_nocase?: string | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  metadataDigest?: string | null | undefined;
  metadataDigest_contains?: string | null | undefined;
  metadataDigest_contains_nocase?: string | null | undefined;
  metadataDigest_ends_with?: string | null | undefined;
  metadataDigest_ends_with_nocase?: string | null | undefined;
  metadataDigest_gt?: string | null | undefined;
  metadataDigest_gte?: string | null | undefined;
  metadataDigest_in?: Array<string> | null | undefined;
  metadataDigest_lt?: string | null | undefined;
  metadataDigest_lte?: string | null | undefined;
  metadataDigest_not?: string | null | undefined;
  metadataDigest_not_contains?: string | null | undefined;
  metadataDigest_not_contains_nocase?: string | null | undefined;
  metadataDigest_not_ends_with?: string | null | undefined;
  metadataDigest_not_ends_with_nocase?: string | null | undefined;
  metadataDigest_not_in?: Array<string> | null | undefined;
  metadataDigest_not_starts_with?: string | null | undefined;
  metadataDigest_not_starts_with_nocase?: string | null | undefined;
  metadataDigest_starts_with?: string | null | undefined;
  metadataDigest_starts_with_nocase?: string | null | undefined;
  name?: string | null | undefined;
  name_contains?: string | null | undefined;
  name_contains_nocase?: string | null | undefined;
  name_ends_with?: string | null | undefined;
  name_ends_with_nocase?: string | null | undefined;
  name_gt?: string | null | undefined;
  name_gte?: string | null | undefined;
  name_in?: Array<string> | null | undefined;
  name_lt?: string | null | undefined;
  name_lte?: string | null | undefined;
  name_not?: string | null | undefined;
  name_not_contains?: string | null | undefined;
  name_not_contains_nocase?: string | null | undefined;
  name_not_ends_with?: string | null | undefined;
  name_not_ends_with_nocase?: string | null | undefined;
  name_not_in?: Array<string> | null | undefined;
  name_not_starts_with?: string | null | undefined;
  name_not_starts_with_nocase?: string | null | undefined;
  name_starts_with?: string | null | undefined;
  name_starts_with_nocase?: string | null | undefined;
  or?: Array<CustomHistoryMetadataHistory_Filter | null | undefined> | null | undefined;
};

export type CustomHistoryType_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<CustomHistoryType_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  name?: string | null | undefined;
  name_contains?: string | null | undefined;
  name_contains_nocase?: string | null | undefined;
  name_ends_with?: string | null | undefined;
  name_ends_with_nocase?: string | null | undefined;
  name_gt?: string | null | undefined;
  name_gte?: string | null | undefined;
  name_in?: Array<string> | null | undefined;
  name_lt?: string | null | undefined;
  name_lte?: string | null | undefined;
  name_not?: string | null | undefined;
  name_not_contains?: string | null | undefined;
  name_not_contains_nocase?: string | null | undefined;
  name_not_ends_with?: string | null | undefined;
  name_not_ends_with_nocase?: string | null | undefined;
  name_not_in?: Array<string> | null | undefined;
  name_not_starts_with?: string | null | undefined;
  name_not_starts_with_nocase?: string | null | undefined;
  name_starts_with?: string | null | undefined;
  name_starts_with_nocase?: string | null | undefined;
  or?: Array<CustomHistoryType_Filter | null | undefined> | null | undefined;
};

export type CustomHistory_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<CustomHistory_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  historyType?: string | null | undefined;
  historyType_?: CustomHistoryType_Filter | null | undefined;
  historyType_contains?: string | null | undefined;
  historyType_contains_nocase?: string | null | undefined;
  historyType_ends_with?: string | null | undefined;
  historyType_ends_with_nocase?: string | null | undefined;
  historyType_gt?: string | null | undefined;
  historyType_gte?: string | null | undefined;
  historyType_in?: Array<string> | null | undefined;
  historyType_lt?: string | null | undefined;
  historyType_lte?: string | null | undefined;
  historyType_not?: string | null | undefined;
  historyType_not_contains?: string | null | undefined;
  historyType_not_contains_nocase?: string | null | undefined;
  historyType_not_ends_with?: string | null | undefined;
  historyType_not_ends_with_nocase?: string | null | undefined;
  historyType_not_in?: Array<string> | null | undefined;
  historyType_not_starts_with?: string | null | undefined;
  historyType_not_starts_with_nocase?: string | null | undefined;
  historyType_starts_with?: string | null | undefined;
  historyType_starts_with_nocase?: string | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  metadataDigest?: string | null | undefined;
  metadataDigest_contains?: string | null | undefined;
  metadataDigest_contains_nocase?: string | null | undefined;
  metadataDigest_ends_with?: string | null | undefined;
  metadataDigest_ends_with_nocase?: string | null | undefined;
  metadataDigest_gt?: string | null | undefined;
  metadataDigest_gte?: string | null | undefined;
  metadataDigest_in?: Array<string> | null | undefined;
  metadataDigest_lt?: string | null | undefined;
  metadataDigest_lte?: string | null | undefined;
  metadataDigest_not?: string | null | undefined;
  metadataDigest_not_contains?: string | null | undefined;
  metadataDigest_not_contains_nocase?: string | null | undefined;
  metadataDigest_not_ends_with?: string | null | undefined;
  metadataDigest_not_ends_with_nocase?: string | null | undefined;
  metadataDigest_not_in?: Array<string> | null | undefined;
  metadataDigest_not_starts_with?: string | null | undefined;
  metadataDigest_not_starts_with_nocase?: string | null | undefined;
  metadataDigest_starts_with?: string | null | undefined;
  metadataDigest_starts_with_nocase?: string | null | undefined;
  metadataHistory_?: CustomHistoryMetadataHistory_Filter | null | undefined;
  name?: string | null | undefined;
  name_contains?: string | null | undefined;
  name_contains_nocase?: string | null | undefined;
  name_ends_with?: string | null | undefined;
  name_ends_with_nocase?: string | null | undefined;
  name_gt?: string | null | undefined;
  name_gte?: string | null | undefined;
  name_in?: Array<string> | null | undefined;
  name_lt?: string | null | undefined;
  name_lte?: string | null | undefined;
  name_not?: string | null | undefined;
  name_not_contains?: string | null | undefined;
  name_not_contains_nocase?: string | null | undefined;
  name_not_ends_with?: string | null | undefined;
  name_not_ends_with_nocase?: string | null | undefined;
  name_not_in?: Array<string> | null | undefined;
  name_not_starts_with?: string | null | undefined;
  name_not_starts_with_nocase?: string | null | undefined;
  name_starts_with?: string | null | undefined;
  name_starts_with_nocase?: string | null | undefined;
  or?: Array<CustomHistory_Filter | null | undefined> | null | undefined;
  originChain?: string | null | undefined;
  originChain_contains?: string | null | undefined;
  originChain_contains_nocase?: string | null | undefined;
  originChain_ends_with?: string | null | undefined;
  originChain_ends_with_nocase?: string | null | undefined;
  originChain_gt?: string | null | undefined;
  originChain_gte?: string | null | undefined;
  originChain_in?: Array<string> | null | undefined;
  originChain_lt?: string | null | undefined;
  originChain_lte?: string | null | undefined;
  originChain_not?: string | null | undefined;
  originChain_not_contains?: string | null | undefined;
  originChain_not_contains_nocase?: string | null | undefined;
  originChain_not_ends_with?: string | null | undefined;
  originChain_not_ends_with_nocase?: string | null | undefined;
  originChain_not_in?: Array<string> | null | undefined;
  originChain_not_starts_with?: string | null | undefined;
  originChain_not_starts_with_nocase?: string | null | undefined;
  originChain_starts_with?: string | null | undefined;
  originChain_starts_with_nocase?: string | null | undefined;
  originTxHash?: string | null | undefined;
  originTxHash_contains?: string | null | undefined;
  originTxHash_gt?: string | null | undefined;
  originTxHash_gte?: string | null | undefined;
  originTxHash_in?: Array<string> | null | undefined;
  originTxHash_lt?: string | null | undefined;
  originTxHash_lte?: string | null | undefined;
  originTxHash_not?: string | null | undefined;
  originTxHash_not_contains?: string | null | undefined;
  originTxHash_not_in?: Array<string> | null | undefined;
  srrHistory_?: SrrHistory_Filter | null | undefined;
  srrProvenance_?: SrrProvenance_Filter | null | undefined;
  updatedAt?: string | null | undefined;
  updatedAtStr?: string | null | undefined;
  updatedAtStr_contains?: string | null | undefined;
  updatedAtStr_contains_nocase?: string | null | undefined;
  updatedAtStr_ends_with?: string | null | undefined;
  updatedAtStr_ends_with_nocase?: string | null | undefined;
  updatedAtStr_gt?: string | null | undefined;
  updatedAtStr_gte?: string | null | undefined;
  updatedAtStr_in?: Array<string> | null | undefined;
  updatedAtStr_lt?: string | null | undefined;
  updatedAtStr_lte?: string | null | undefined;
  updatedAtStr_not?: string | null | undefined;
  updatedAtStr_not_contains?: string | null | undefined;
  updatedAtStr_not_contains_nocase?: string | null | undefined;
  updatedAtStr_not_ends_with?: string | null | undefined;
  updatedAtStr_not_ends_with_nocase?: string | null | undefined;
  updatedAtStr_not_in?: Array<string> | null | undefined;
  updatedAtStr_not_starts_with?: string | null | undefined;
  updatedAtStr_not_starts_with_nocase?: string | null | undefined;
  updatedAtStr_starts_with?: string | null | undefined;
  updatedAtStr_starts_with_nocase?: string | null | undefined;
  updatedAt_gt?: string | null | undefined;
  updatedAt_gte?: string | null | undefined;
  updatedAt_in?: Array<string> | null | undefined;
  updatedAt_lt?: string | null | undefined;
  updatedAt_lte?: string | null | undefined;
  updatedAt_not?: string | null | undefined;
  updatedAt_not_in?: Array<string> | null | undefined;
};

export type LicensedUserWallet_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<LicensedUserWallet_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  englishName?: string | null | undefined;
  englishName_contains?: string | null | undefined;
  englishName_contains_nocase?: string | null | undefined;
  englishName_ends_with?: string | null | undefined;
  englishName_ends_with_nocase?: string | null | undefined;
  englishName_gt?: string | null | undefined;
  englishName_gte?: string | null | undefined;
  englishName_in?: Array<string> | null | undefined;
  englishName_lt?: string | null | undefined;
  englishName_lte?: string | null | undefined;
  englishName_not?: string | null | undefined;
  englishName_not_contains?: string | null | undefined;
  englishName_not_contains_nocase?: string | null | undefined;
  englishName_not_ends_with?: string | null | undefined;
  englishName_not_ends_with_nocase?: string | null | undefined;
  englishName_not_in?: Array<string> | null | undefined;
  englishName_not_starts_with?: string | null | undefined;
  englishName_not_starts_with_nocase?: string | null | undefined;
  englishName_starts_with?: string | null | undefined;
  englishName_starts_with_nocase?: string | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  issuedSRRs_?: Srr_Filter | null | undefined;
  or?: Array<LicensedUserWallet_Filter | null | undefined> | null | undefined;
  originChain?: string | null | undefined;
  originChain_contains?: string | null | undefined;
  originChain_contains_nocase?: string | null | undefined;
  originChain_ends_with?: string | null | undefined;
  originChain_ends_with_nocase?: string | null | undefined;
  originChain_gt?: string | null | undefined;
  originChain_gte?: string | null | undefined;
  originChain_in?: Array<string> | null | undefined;
  originChain_lt?: string | null | undefined;
  originChain_lte?: string | null | undefined;
  originChain_not?: string | null | undefined;
  originChain_not_contains?: string | null | undefined;
  originChain_not_contains_nocase?: string | null | undefined;
  originChain_not_ends_with?: string | null | undefined;
  originChain_not_ends_with_nocase?: string | null | undefined;
  originChain_not_in?: Array<string> | null | undefined;
  originChain_not_starts_with?: string | null | undefined;
  originChain_not_starts_with_nocase?: string | null | undefined;
  originChain_starts_with?: string | null | undefined;
  originChain_starts_with_nocase?: string | null | undefined;
  originalName?: string | null | undefined;
  originalName_contains?: string | null | undefined;
  originalName_contains_nocase?: string | null | undefined;
  originalName_ends_with?: string | null | undefined;
  originalName_ends_with_nocase?: string | null | undefined;
  originalName_gt?: string | null | undefined;
  originalName_gte?: string | null | undefined;
  originalName_in?: Array<string> | null | undefined;
  originalName_lt?: string | null | undefined;
  originalName_lte?: string | null | undefined;
  originalName_not?: string | null | undefined;
  originalName_not_contains?: string | null | undefined;
  originalName_not_contains_nocase?: string | null | undefined;
  originalName_not_ends_with?: string | null | undefined;
  originalName_not_ends_with_nocase?: string | null | undefined;
  originalName_not_in?: Array<string> | null | undefined;
  originalName_not_starts_with?: string | null | undefined;
  originalName_not_starts_with_nocase?: string | null | undefined;
  originalName_starts_with?: string | null | undefined;
  originalName_starts_with_nocase?: string | null | undefined;
  owners?: Array<string> | null | undefined;
  owners_contains?: Array<string> | null | undefined;
  owners_not?: Array<string> | null | undefined;
  owners_not_contains?: Array<string> | null | undefined;
  salt?: string | null | undefined;
  salt_contains?: string | null | undefined;
  salt_gt?: string | null | undefined;
  salt_gte?: string | null | undefined;
  salt_in?: Array<string> | null | undefined;
  salt_lt?: string | null | undefined;
  salt_lte?: string | null | undefined;
  salt_not?: string | null | undefined;
  salt_not_contains?: string | null | undefined;
  salt_not_in?: Array<string> | null | undefined;
  threshold?: number | null | undefined;
  threshold_gt?: number | null | undefined;
  threshold_gte?: number | null | undefined;
  threshold_in?: Array<number> | null | undefined;
  threshold_lt?: number | null | undefined;
  threshold_lte?: number | null | undefined;
  threshold_not?: number | null | undefined;
  threshold_not_in?: Array<number> | null | undefined;
  updatedAt?: string | null | undefined;
  updatedAtStr?: string | null | undefined;
  updatedAtStr_contains?: string | null | undefined;
  updatedAtStr_contains_nocase?: string | null | undefined;
  updatedAtStr_ends_with?: string | null | undefined;
  updatedAtStr_ends_with_nocase?: string | null | undefined;
  updatedAtStr_gt?: string | null | undefined;
  updatedAtStr_gte?: string | null | undefined;
  updatedAtStr_in?: Array<string> | null | undefined;
  updatedAtStr_lt?: string | null | undefined;
  updatedAtStr_lte?: string | null | undefined;
  updatedAtStr_not?: string | null | undefined;
  updatedAtStr_not_contains?: string | null | undefined;
  updatedAtStr_not_contains_nocase?: string | null | undefined;
  updatedAtStr_not_ends_with?: string | null | undefined;
  updatedAtStr_not_ends_with_nocase?: string | null | undefined;
  updatedAtStr_not_in?: Array<string> | null | undefined;
  updatedAtStr_not_starts_with?: string | null | undefined;
  updatedAtStr_not_starts_with_nocase?: string | null | undefined;
  updatedAtStr_starts_with?: string | null | undefined;
  updatedAtStr_starts_with_nocase?: string | null | undefined;
  updatedAt_gt?: string | null | undefined;
  updatedAt_gte?: string | null | undefined;
  updatedAt_in?: Array<string> | null | undefined;
  updatedAt_lt?: string | null | undefined;
  updatedAt_lte?: string | null | undefined;
  updatedAt_not?: string | null | undefined;
  updatedAt_not_in?: Array<string> | null | undefined;
  userType?: string | null | undefined;
  userType_contains?: string | null | undefined;
  userType_contains_nocase?: string | null | undefined;
  userType_ends_with?: string | null | undefined;
  userType_ends_with_nocase?: string | null | undefined;
  userType_gt?: string | null | undefined;
  userType_gte?: string | null | undefined;
  userType_in?: Array<string> | null | undefined;
  userType_lt?: string | null | undefined;
  userType_lte?: string | null | undefined;
  userType_not?: string | null | undefined;
  userType_not_contains?: string | null | undefined;
  userType_not_contains_nocase?: string | null | undefined;
  userType_not_ends_with?: string | null | undefined;
  userType_not_ends_with_nocase?: string | null | undefined;
  userType_not_in?: Array<string> | null | undefined;
  userType_not_starts_with?: string | null | undefined;
  userType_not_starts_with_nocase?: string | null | undefined;
  userType_starts_with?: string | null | undefined;
  userType_starts_with_nocase?: string | null | undefined;
  walletAddress?: string | null | undefined;
  walletAddress_contains?: string | null | undefined;
  walletAddress_gt?: string | null | undefined;
  walletAddress_gte?: string | null | undefined;
  walletAddress_in?: Array<string> | null | undefined;
  walletAddress_lt?: string | null | undefined;
  walletAddress_lte?: string | null | undefined;
  walletAddress_not?: string | null | undefined;
  walletAddress_not_contains?: string | null | undefined;
  walletAddress_not_in?: Array<string> | null | undefined;
};

export type LicensedUserWallet_OrderBy =
  | 'createdAt'
  | 'createdAtStr'
  | 'englishName'
  | 'id'
  | 'issuedSRRs'
  | 'originChain'
  | 'originalName'
  | 'owners'
  | 'salt'
  | 'threshold'
  | 'updatedAt'
  | 'updatedAtStr'
  | 'userType'
  | 'walletAddress';

/** Defines the order direction, either ascending or descending */
export type OrderDirection =
  | 'asc'
  | 'desc';

export type SrrHistory_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<SrrHistory_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  customHistory?: string | null | undefined;
  customHistory_?: CustomHistory_Filter | null | undefined;
  customHistory_contains?: string | null | undefined;
  customHistory_contains_nocase?: string | null | undefined;
  customHistory_ends_with?: string | null | undefined;
  customHistory_ends_with_nocase?: string | null | undefined;
  customHistory_gt?: string | null | undefined;
  customHistory_gte?: string | null | undefined;
  customHistory_in?: Array<string> | null | undefined;
  customHistory_lt?: string | null | undefined;
  customHistory_lte?: string | null | undefined;
  customHistory_not?: string | null | undefined;
  customHistory_not_contains?: string | null | undefined;
  customHistory_not_contains_nocase?: string | null | undefined;
  customHistory_not_ends_with?: string | null | undefined;
  customHistory_not_ends_with_nocase?: string | null | undefined;
  customHistory_not_in?: Array<string> | null | undefined;
  customHistory_not_starts_with?: string | null | undefined;
  customHistory_not_starts_with_nocase?: string | null | undefined;
  customHistory_starts_with?: string | null | undefined;
  customHistory_starts_with_nocase?: string | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  or?: Array<SrrHistory_Filter | null | undefined> | null | undefined;
  srr?: string | null | undefined;
  srr_?: Srr_Filter | null | undefined;
  srr_contains?: string | null | undefined;
  srr_contains_nocase?: string | null | undefined;
  srr_ends_with?: string | null | undefined;
  srr_ends_with_nocase?: string | null | undefined;
  srr_gt?: string | null | undefined;
  srr_gte?: string | null | undefined;
  srr_in?: Array<string> | null | undefined;
  srr_lt?: string | null | undefined;
  srr_lte?: string | null | undefined;
  srr_not?: string | null | undefined;
  srr_not_contains?: string | null | undefined;
  srr_not_contains_nocase?: string | null | undefined;
  srr_not_ends_with?: string | null | undefined;
  srr_not_ends_with_nocase?: string | null | undefined;
  srr_not_in?: Array<string> | null | undefined;
  srr_not_starts_with?: string | null | undefined;
  srr_not_starts_with_nocase?: string | null | undefined;
  srr_starts_with?: string | null | undefined;
  srr_starts_with_nocase?: string | null | undefined;
};

export type SrrMetadataHistory_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<SrrMetadataHistory_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  metadataDigest?: string | null | undefined;
  metadataDigest_contains?: string | null | undefined;
  metadataDigest_contains_nocase?: string | null | undefined;
  metadataDigest_ends_with?: string | null | undefined;
  metadataDigest_ends_with_nocase?: string | null | undefined;
  metadataDigest_gt?: string | null | undefined;
  metadataDigest_gte?: string | null | undefined;
  metadataDigest_in?: Array<string> | null | undefined;
  metadataDigest_lt?: string | null | undefined;
  metadataDigest_lte?: string | null | undefined;
  metadataDigest_not?: string | null | undefined;
  metadataDigest_not_contains?: string | null | undefined;
  metadataDigest_not_contains_nocase?: string | null | undefined;
  metadataDigest_not_ends_with?: string | null | undefined;
  metadataDigest_not_ends_with_nocase?: string | null | undefined;
  metadataDigest_not_in?: Array<string> | null | undefined;
  metadataDigest_not_starts_with?: string | null | undefined;
  metadataDigest_not_starts_with_nocase?: string | null | undefined;
  metadataDigest_starts_with?: string | null | undefined;
  metadataDigest_starts_with_nocase?: string | null | undefined;
  or?: Array<SrrMetadataHistory_Filter | null | undefined> | null | undefined;
  srr?: string | null | undefined;
  srr_?: Srr_Filter | null | undefined;
  srr_contains?: string | null | undefined;
  srr_contains_nocase?: string | null | undefined;
  srr_ends_with?: string | null | undefined;
  srr_ends_with_nocase?: string | null | undefined;
  srr_gt?: string | null | undefined;
  srr_gte?: string | null | undefined;
  srr_in?: Array<string> | null | undefined;
  srr_lt?: string | null | undefined;
  srr_lte?: string | null | undefined;
  srr_not?: string | null | undefined;
  srr_not_contains?: string | null | undefined;
  srr_not_contains_nocase?: string | null | undefined;
  srr_not_ends_with?: string | null | undefined;
  srr_not_ends_with_nocase?: string | null | undefined;
  srr_not_in?: Array<string> | null | undefined;
  srr_not_starts_with?: string | null | undefined;
  srr_not_starts_with_nocase?: string | null | undefined;
  srr_starts_with?: string | null | undefined;
  srr_starts_with_nocase?: string | null | undefined;
};

export type SrrProvenance_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<SrrProvenance_Filter | null | undefined> | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  customHistory?: string | null | undefined;
  customHistory_?: CustomHistory_Filter | null | undefined;
  customHistory_contains?: string | null | undefined;
  customHistory_contains_nocase?: string | null | undefined;
  customHistory_ends_with?: string | null | undefined;
  customHistory_ends_with_nocase?: string | null | undefined;
  customHistory_gt?: string | null | undefined;
  customHistory_gte?: string | null | undefined;
  customHistory_in?: Array<string> | null | undefined;
  customHistory_lt?: string | null | undefined;
  customHistory_lte?: string | null | undefined;
  customHistory_not?: string | null | undefined;
  customHistory_not_contains?: string | null | undefined;
  customHistory_not_contains_nocase?: string | null | undefined;
  customHistory_not_ends_with?: string | null | undefined;
  customHistory_not_ends_with_nocase?: string | null | undefined;
  customHistory_not_in?: Array<string> | null | undefined;
  customHistory_not_starts_with?: string | null | undefined;
  customHistory_not_starts_with_nocase?: string | null | undefined;
  customHistory_starts_with?: string | null | undefined;
  customHistory_starts_with_nocase?: string | null | undefined;
  from?: string | null | undefined;
  from_contains?: string | null | undefined;
  from_gt?: string | null | undefined;
  from_gte?: string | null | undefined;
  from_in?: Array<string> | null | undefined;
  from_lt?: string | null | undefined;
  from_lte?: string | null | undefined;
  from_not?: string | null | undefined;
  from_not_contains?: string | null | undefined;
  from_not_in?: Array<string> | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  isIntermediary?: boolean | null | undefined;
  isIntermediary_in?: Array<boolean> | null | undefined;
  isIntermediary_not?: boolean | null | undefined;
  isIntermediary_not_in?: Array<boolean> | null | undefined;
  metadataDigest?: string | null | undefined;
  metadataDigest_contains?: string | null | undefined;
  metadataDigest_contains_nocase?: string | null | undefined;
  metadataDigest_ends_with?: string | null | undefined;
  metadataDigest_ends_with_nocase?: string | null | undefined;
  metadataDigest_gt?: string | null | undefined;
  metadataDigest_gte?: string | null | undefined;
  metadataDigest_in?: Array<string> | null | undefined;
  metadataDigest_lt?: string | null | undefined;
  metadataDigest_lte?: string | null | undefined;
  metadataDigest_not?: string | null | undefined;
  metadataDigest_not_contains?: string | null | undefined;
  metadataDigest_not_contains_nocase?: string | null | undefined;
  metadataDigest_not_ends_with?: string | null | undefined;
  metadataDigest_not_ends_with_nocase?: string | null | undefined;
  metadataDigest_not_in?: Array<string> | null | undefined;
  metadataDigest_not_starts_with?: string | null | undefined;
  metadataDigest_not_starts_with_nocase?: string | null | undefined;
  metadataDigest_starts_with?: string | null | undefined;
  metadataDigest_starts_with_nocase?: string | null | undefined;
  metadataURI?: string | null | undefined;
  metadataURI_contains?: string | null | undefined;
  metadataURI_contains_nocase?: string | null | undefined;
  metadataURI_ends_with?: string | null | undefined;
  metadataURI_ends_with_nocase?: string | null | undefined;
  metadataURI_gt?: string | null | undefined;
  metadataURI_gte?: string | null | undefined;
  metadataURI_in?: Array<string> | null | undefined;
  metadataURI_lt?: string | null | undefined;
  metadataURI_lte?: string | null | undefined;
  metadataURI_not?: string | null | undefined;
  metadataURI_not_contains?: string | null | undefined;
  metadataURI_not_contains_nocase?: string | null | undefined;
  metadataURI_not_ends_with?: string | null | undefined;
  metadataURI_not_ends_with_nocase?: string | null | undefined;
  metadataURI_not_in?: Array<string> | null | undefined;
  metadataURI_not_starts_with?: string | null | undefined;
  metadataURI_not_starts_with_nocase?: string | null | undefined;
  metadataURI_starts_with?: string | null | undefined;
  metadataURI_starts_with_nocase?: string | null | undefined;
  or?: Array<SrrProvenance_Filter | null | undefined> | null | undefined;
  sender?: string | null | undefined;
  sender_contains?: string | null | undefined;
  sender_gt?: string | null | undefined;
  sender_gte?: string | null | undefined;
  sender_in?: Array<string> | null | undefined;
  sender_lt?: string | null | undefined;
  sender_lte?: string | null | undefined;
  sender_not?: string | null | undefined;
  sender_not_contains?: string | null | undefined;
  sender_not_in?: Array<string> | null | undefined;
  srr?: string | null | undefined;
  srr_?: Srr_Filter | null | undefined;
  srr_contains?: string | null | undefined;
  srr_contains_nocase?: string | null | undefined;
  srr_ends_with?: string | null | undefined;
  srr_ends_with_nocase?: string | null | undefined;
  srr_gt?: string | null | undefined;
  srr_gte?: string | null | undefined;
  srr_in?: Array<string> | null | undefined;
  srr_lt?: string | null | undefined;
  srr_lte?: string | null | undefined;
  srr_not?: string | null | undefined;
  srr_not_contains?: string | null | undefined;
  srr_not_contains_nocase?: string | null | undefined;
  srr_not_ends_with?: string | null | undefined;
  srr_not_ends_with_nocase?: string | null | undefined;
  srr_not_in?: Array<string> | null | undefined;
  srr_not_starts_with?: string | null | undefined;
  srr_not_starts_with_nocase?: string | null | undefined;
  srr_starts_with?: string | null | undefined;
  srr_starts_with_nocase?: string | null | undefined;
  timestamp?: string | null | undefined;
  timestamp_gt?: string | null | undefined;
  timestamp_gte?: string | null | undefined;
  timestamp_in?: Array<string> | null | undefined;
  timestamp_lt?: string | null | undefined;
  timestamp_lte?: string | null | undefined;
  timestamp_not?: string | null | undefined;
  timestamp_not_in?: Array<string> | null | undefined;
  to?: string | null | undefined;
  to_contains?: string | null | undefined;
  to_gt?: string | null | undefined;
  to_gte?: string | null | undefined;
  to_in?: Array<string> | null | undefined;
  to_lt?: string | null | undefined;
  to_lte?: string | null | undefined;
  to_not?: string | null | undefined;
  to_not_contains?: string | null | undefined;
  to_not_in?: Array<string> | null | undefined;
};

export type Srr_Filter = {
  /** Filter for the block changed event. */
  _change_block?: BlockChangedFilter | null | undefined;
  and?: Array<Srr_Filter | null | undefined> | null | undefined;
  artist?: string | null | undefined;
  artistAddress?: string | null | undefined;
  artistAddress_contains?: string | null | undefined;
  artistAddress_gt?: string | null | undefined;
  artistAddress_gte?: string | null | undefined;
  artistAddress_in?: Array<string> | null | undefined;
  artistAddress_lt?: string | null | undefined;
  artistAddress_lte?: string | null | undefined;
  artistAddress_not?: string | null | undefined;
  artistAddress_not_contains?: string | null | undefined;
  artistAddress_not_in?: Array<string> | null | undefined;
  artist_?: LicensedUserWallet_Filter | null | undefined;
  artist_contains?: string | null | undefined;
  artist_contains_nocase?: string | null | undefined;
  artist_ends_with?: string | null | undefined;
  artist_ends_with_nocase?: string | null | undefined;
  artist_gt?: string | null | undefined;
  artist_gte?: string | null | undefined;
  artist_in?: Array<string> | null | undefined;
  artist_lt?: string | null | undefined;
  artist_lte?: string | null | undefined;
  artist_not?: string | null | undefined;
  artist_not_contains?: string | null | undefined;
  artist_not_contains_nocase?: string | null | undefined;
  artist_not_ends_with?: string | null | undefined;
  artist_not_ends_with_nocase?: string | null | undefined;
  artist_not_in?: Array<string> | null | undefined;
  artist_not_starts_with?: string | null | undefined;
  artist_not_starts_with_nocase?: string | null | undefined;
  artist_starts_with?: string | null | undefined;
  artist_starts_with_nocase?: string | null | undefined;
  collection?: string | null | undefined;
  collection_?: Collection_Filter | null | undefined;
  collection_contains?: string | null | undefined;
  collection_contains_nocase?: string | null | undefined;
  collection_ends_with?: string | null | undefined;
  collection_ends_with_nocase?: string | null | undefined;
  collection_gt?: string | null | undefined;
  collection_gte?: string | null | undefined;
  collection_in?: Array<string> | null | undefined;
  collection_lt?: string | null | undefined;
  collection_lte?: string | null | undefined;
  collection_not?: string | null | undefined;
  collection_not_contains?: string | null | undefined;
  collection_not_contains_nocase?: string | null | undefined;
  collection_not_ends_with?: string | null | undefined;
  collection_not_ends_with_nocase?: string | null | undefined;
  collection_not_in?: Array<string> | null | undefined;
  collection_not_starts_with?: string | null | undefined;
  collection_not_starts_with_nocase?: string | null | undefined;
  collection_starts_with?: string | null | undefined;
  collection_starts_with_nocase?: string | null | undefined;
  createdAt?: string | null | undefined;
  createdAtStr?: string | null | undefined;
  createdAtStr_contains?: string | null | undefined;
  createdAtStr_contains_nocase?: string | null | undefined;
  createdAtStr_ends_with?: string | null | undefined;
  createdAtStr_ends_with_nocase?: string | null | undefined;
  createdAtStr_gt?: string | null | undefined;
  createdAtStr_gte?: string | null | undefined;
  createdAtStr_in?: Array<string> | null | undefined;
  createdAtStr_lt?: string | null | undefined;
  createdAtStr_lte?: string | null | undefined;
  createdAtStr_not?: string | null | undefined;
  createdAtStr_not_contains?: string | null | undefined;
  createdAtStr_not_contains_nocase?: string | null | undefined;
  createdAtStr_not_ends_with?: string | null | undefined;
  createdAtStr_not_ends_with_nocase?: string | null | undefined;
  createdAtStr_not_in?: Array<string> | null | undefined;
  createdAtStr_not_starts_with?: string | null | undefined;
  createdAtStr_not_starts_with_nocase?: string | null | undefined;
  createdAtStr_starts_with?: string | null | undefined;
  createdAtStr_starts_with_nocase?: string | null | undefined;
  createdAt_gt?: string | null | undefined;
  createdAt_gte?: string | null | undefined;
  createdAt_in?: Array<string> | null | undefined;
  createdAt_lt?: string | null | undefined;
  createdAt_lte?: string | null | undefined;
  createdAt_not?: string | null | undefined;
  createdAt_not_in?: Array<string> | null | undefined;
  history_?: SrrHistory_Filter | null | undefined;
  id?: string | number | null | undefined;
  id_gt?: string | number | null | undefined;
  id_gte?: string | number | null | undefined;
  id_in?: Array<string | number> | null | undefined;
  id_lt?: string | number | null | undefined;
  id_lte?: string | number | null | undefined;
  id_not?: string | number | null | undefined;
  id_not_in?: Array<string | number> | null | undefined;
  isPrimaryIssuer?: boolean | null | undefined;
  isPrimaryIssuer_in?: Array<boolean> | null | undefined;
  isPrimaryIssuer_not?: boolean | null | undefined;
  isPrimaryIssuer_not_in?: Array<boolean> | null | undefined;
  issuer?: string | null | undefined;
  issuer_?: LicensedUserWallet_Filter | null | undefined;
  issuer_contains?: string | null | undefined;
  issuer_contains_nocase?: string | null | undefined;
  issuer_ends_with?: string | null | undefined;
  issuer_ends_with_nocase?: string | null | undefined;
  issuer_gt?: string | null | undefined;
  issuer_gte?: string | null | undefined;
  issuer_in?: Array<string> | null | undefined;
  issuer_lt?: string | null | undefined;
  issuer_lte?: string | null | undefined;
  issuer_not?: string | null | undefined;
  issuer_not_contains?: string | null | undefined;
  issuer_not_contains_nocase?: string | null | undefined;
  issuer_not_ends_with?: string | null | undefined;
  issuer_not_ends_with_nocase?: string | null | undefined;
  issuer_not_in?: Array<string> | null | undefined;
  issuer_not_starts_with?: string | null | undefined;
  issuer_not_starts_with_nocase?: string | null | undefined;
  issuer_starts_with?: string | null | undefined;
  issuer_starts_with_nocase?: string | null | undefined;
  lockExternalTransfer?: boolean | null | undefined;
  lockExternalTransfer_in?: Array<boolean> | null | undefined;
  lockExternalTransfer_not?: boolean | null | undefined;
  lockExternalTransfer_not_in?: Array<boolean> | null | undefined;
  metadataDigest?: string | null | undefined;
  metadataDigest_contains?: string | null | undefined;
  metadataDigest_contains_nocase?: string | null | undefined;
  metadataDigest_ends_with?: string | null | undefined;
  metadataDigest_ends_with_nocase?: string | null | undefined;
  metadataDigest_gt?: string | null | undefined;
  metadataDigest_gte?: string | null | undefined;
  metadataDigest_in?: Array<string> | null | undefined;
  metadataDigest_lt?: string | null | undefined;
  metadataDigest_lte?: string | null | undefined;
  metadataDigest_not?: string | null | undefined;
  metadataDigest_not_contains?: string | null | undefined;
  metadataDigest_not_contains_nocase?: string | null | undefined;
  metadataDigest_not_ends_with?: string | null | undefined;
  metadataDigest_not_ends_with_nocase?: string | null | undefined;
  metadataDigest_not_in?: Array<string> | null | undefined;
  metadataDigest_not_starts_with?: string | null | undefined;
  metadataDigest_not_starts_with_nocase?: string | null | undefined;
  metadataDigest_starts_with?: string | null | undefined;
  metadataDigest_starts_with_nocase?: string | null | undefined;
  metadataHistory_?: SrrMetadataHistory_Filter | null | undefined;
  or?: Array<Srr_Filter | null | undefined> | null | undefined;
  originChain?: string | null | undefined;
  originChain_contains?: string | null | undefined;
  originChain_contains_nocase?: string | null | undefined;
  originChain_ends_with?: string | null | undefined;
  originChain_ends_with_nocase?: string | null | undefined;
  originChain_gt?: string | null | undefined;
  originChain_gte?: string | null | undefined;
  originChain_in?: Array<string> | null | undefined;
  originChain_lt?: string | null | undefined;
  originChain_lte?: string | null | undefined;
  originChain_not?: string | null | undefined;
  originChain_not_contains?: string | null | undefined;
  originChain_not_contains_nocase?: string | null | undefined;
  originChain_not_ends_with?: string | null | undefined;
  originChain_not_ends_with_nocase?: string | null | undefined;
  originChain_not_in?: Array<string> | null | undefined;
  originChain_not_starts_with?: string | null | undefined;
  originChain_not_starts_with_nocase?: string | null | undefined;
  originChain_starts_with?: string | null | undefined;
  originChain_starts_with_nocase?: string | null | undefined;
  originTxHash?: string | null | undefined;
  originTxHash_contains?: string | null | undefined;
  originTxHash_gt?: string | null | undefined;
  originTxHash_gte?: string | null | undefined;
  originTxHash_in?: Array<string> | null | undefined;
  originTxHash_lt?: string | null | undefined;
  originTxHash_lte?: string | null | undefined;
  originTxHash_not?: string | null | undefined;
  originTxHash_not_contains?: string | null | undefined;
  originTxHash_not_in?: Array<string> | null | undefined;
  ownerAddress?: string | null | undefined;
  ownerAddress_contains?: string | null | undefined;
  ownerAddress_gt?: string | null | undefined;
  ownerAddress_gte?: string | null | undefined;
  ownerAddress_in?: Array<string> | null | undefined;
  ownerAddress_lt?: string | null | undefined;
  ownerAddress_lte?: string | null | undefined;
  ownerAddress_not?: string | null | undefined;
  ownerAddress_not_contains?: string | null | undefined;
  ownerAddress_not_in?: Array<string> | null | undefined;
  provenance_?: SrrProvenance_Filter | null | undefined;
  royaltyBasisPoints?: number | null | undefined;
  royaltyBasisPoints_gt?: number | null | undefined;
  royaltyBasisPoints_gte?: number | null | undefined;
  royaltyBasisPoints_in?: Array<number> | null | undefined;
  royaltyBasisPoints_lt?: number | null | undefined;
  royaltyBasisPoints_lte?: number | null | undefined;
  royaltyBasisPoints_not?: number | null | undefined;
  royaltyBasisPoints_not_in?: Array<number> | null | undefined;
  royaltyReceiver?: string | null | undefined;
  royaltyReceiver_contains?: string | null | undefined;
  royaltyReceiver_gt?: string | null | undefined;
  royaltyReceiver_gte?: string | null | undefined;
  royaltyReceiver_in?: Array<string> | null | undefined;
  royaltyReceiver_lt?: string | null | undefined;
  royaltyReceiver_lte?: string | null | undefined;
  royaltyReceiver_not?: string | null | undefined;
  royaltyReceiver_not_contains?: string | null | undefined;
  royaltyReceiver_not_in?: Array<string> | null | undefined;
  tokenId?: string | null | undefined;
  tokenId_contains?: string | null | undefined;
  tokenId_contains_nocase?: string | null | undefined;
  tokenId_ends_with?: string | null | undefined;
  tokenId_ends_with_nocase?: string | null | undefined;
  tokenId_gt?: string | null | undefined;
  tokenId_gte?: string | null | undefined;
  tokenId_in?: Array<string> | null | undefined;
  tokenId_lt?: string | null | undefined;
  tokenId_lte?: string | null | undefined;
  tokenId_not?: string | null | undefined;
  tokenId_not_contains?: string | null | undefined;
  tokenId_not_contains_nocase?: string | null | undefined;
  tokenId_not_ends_with?: string | null | undefined;
  tokenId_not_ends_with_nocase?: string | null | undefined;
  tokenId_not_in?: Array<string> | null | undefined;
  tokenId_not_starts_with?: string | null | undefined;
  tokenId_not_starts_with_nocase?: string | null | undefined;
  tokenId_starts_with?: string | null | undefined;
  tokenId_starts_with_nocase?: string | null | undefined;
  transferCommitment?: string | null | undefined;
  transferCommitment_contains?: string | null | undefined;
  transferCommitment_gt?: string | null | undefined;
  transferCommitment_gte?: string | null | undefined;
  transferCommitment_in?: Array<string> | null | undefined;
  transferCommitment_lt?: string | null | undefined;
  transferCommitment_lte?: string | null | undefined;
  transferCommitment_not?: string | null | undefined;
  transferCommitment_not_contains?: string | null | undefined;
  transferCommitment_not_in?: Array<string> | null | undefined;
  updatedAt?: string | null | undefined;
  updatedAtStr?: string | null | undefined;
  updatedAtStr_contains?: string | null | undefined;
  updatedAtStr_contains_nocase?: string | null | undefined;
  updatedAtStr_ends_with?: string | null | undefined;
  updatedAtStr_ends_with_nocase?: string | null | undefined;
  updatedAtStr_gt?: string | null | undefined;
  updatedAtStr_gte?: string | null | undefined;
  updatedAtStr_in?: Array<string> | null | undefined;
  updatedAtStr_lt?: string | null | undefined;
  updatedAtStr_lte?: string | null | undefined;
  updatedAtStr_not?: string | null | undefined;
  updatedAtStr_not_contains?: string | null | undefined;
  updatedAtStr_not_contains_nocase?: string | null | undefined;
  updatedAtStr_not_ends_with?: string | null | undefined;
  updatedAtStr_not_ends_with_nocase?: string | null | undefined;
  updatedAtStr_not_in?: Array<string> | null | undefined;
  updatedAtStr_not_starts_with?: string | null | undefined;
  updatedAtStr_not_starts_with_nocase?: string | null | undefined;
  updatedAtStr_starts_with?: string | null | undefined;
  updatedAtStr_starts_with_nocase?: string | null | undefined;
  updatedAt_gt?: string | null | undefined;
  updatedAt_gte?: string | null | undefined;
  updatedAt_in?: Array<string> | null | undefined;
  updatedAt_lt?: string | null | undefined;
  updatedAt_lte?: string | null | undefined;
  updatedAt_not?: string | null | undefined;
  updatedAt_not_in?: Array<string> | null | undefined;
};

export type Srr_OrderBy =
  | 'artist'
  | 'artistAddress'
  | 'artist__createdAt'
  | 'artist__createdAtStr'
  | 'artist__englishName'
  | 'artist__id'
  | 'artist__originChain'
  | 'artist__originalName'
  | 'artist__salt'
  | 'artist__threshold'
  | 'artist__updatedAt'
  | 'artist__updatedAtStr'
  | 'artist__userType'
  | 'artist__walletAddress'
  | 'collection'
  | 'collection__createdAt'
  | 'collection__createdAtStr'
  | 'collection__creatorAddress'
  | 'collection__id'
  | 'collection__name'
  | 'collection__ownerAddress'
  | 'collection__salt'
  | 'collection__symbol'
  | 'collection__updatedAt'
  | 'collection__updatedAtStr'
  | 'createdAt'
  | 'createdAtStr'
  | 'history'
  | 'id'
  | 'isPrimaryIssuer'
  | 'issuer'
  | 'issuer__createdAt'
  | 'issuer__createdAtStr'
  | 'issuer__englishName'
  | 'issuer__id'
  | 'issuer__originChain'
  | 'issuer__originalName'
  | 'issuer__salt'
  | 'issuer__threshold'
  | 'issuer__updatedAt'
  | 'issuer__updatedAtStr'
  | 'issuer__userType'
  | 'issuer__walletAddress'
  | 'lockExternalTransfer'
  | 'metadataDigest'
  | 'metadataHistory'
  | 'originChain'
  | 'originTxHash'
  | 'ownerAddress'
  | 'provenance'
  | 'royaltyBasisPoints'
  | 'royaltyReceiver'
  | 'tokenId'
  | 'transferCommitment'
  | 'updatedAt'
  | 'updatedAtStr';

export type CollectionsQueryVariables = Exact<{
  where?: Collection_Filter | null | undefined;
  first: number;
  orderBy?: Collection_OrderBy | null | undefined;
  orderDirection?: OrderDirection | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type CollectionsQuery = { collections: Array<{ id: string, name: string, symbol: string, ownerAddress: string, creatorAddress: string, createdAt: string, updatedAt: string }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type CustomHistoriesQueryVariables = Exact<{
  where?: CustomHistory_Filter | null | undefined;
  first: number;
  block?: Block_Height | null | undefined;
}>;


export type CustomHistoriesQuery = { customHistories: Array<{ id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type CustomHistoriesOfQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
  count: number;
  first: number;
  where?: SrrHistory_Filter | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type CustomHistoriesOfQuery = { srrs: Array<{ id: string, history: Array<{ id: string, createdAt: string, customHistory: { id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } } | null }> }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type MetaFragment = { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } };

export type LicensedUserFragment = { id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string };

export type CollectionFragment = { id: string, name: string, symbol: string, ownerAddress: string, creatorAddress: string, createdAt: string, updatedAt: string };

export type SrrFragment = { id: string, tokenId: string | null, artistAddress: string | null, ownerAddress: string | null, isPrimaryIssuer: boolean | null, metadataDigest: string | null, transferCommitment: string | null, lockExternalTransfer: boolean | null, royaltyReceiver: string | null, royaltyBasisPoints: number | null, originChain: string | null, originTxHash: string | null, createdAt: string, updatedAt: string, collection: { id: string, name: string, symbol: string, ownerAddress: string, creatorAddress: string, createdAt: string, updatedAt: string } | null, issuer: { id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string } | null, artist: { id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string } | null };

export type CustomHistoryFragment = { id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } };

export type ProvenanceFragment = { id: string, timestamp: string, from: string, to: string, metadataDigest: string, metadataURI: string, isIntermediary: boolean | null, customHistory: { id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } } | null };

export type MetadataHistoryFragment = { id: string, metadataDigest: string, createdAt: string };

export type SrrHistoryFragment = { id: string, createdAt: string, customHistory: { id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } } | null };

export type LicensedUsersQueryVariables = Exact<{
  where?: LicensedUserWallet_Filter | null | undefined;
  first: number;
  orderBy?: LicensedUserWallet_OrderBy | null | undefined;
  orderDirection?: OrderDirection | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type LicensedUsersQuery = { licensedUserWallets: Array<{ id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type MetaQueryVariables = Exact<{
  block?: Block_Height | null | undefined;
}>;


export type MetaQuery = { _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type MetadataHistoryOfQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
  count: number;
  first: number;
  where?: SrrMetadataHistory_Filter | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type MetadataHistoryOfQuery = { srrs: Array<{ id: string, metadataHistory: Array<{ id: string, metadataDigest: string, createdAt: string }> }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type ProvenanceOfQueryVariables = Exact<{
  ids: Array<string | number> | string | number;
  count: number;
  first: number;
  where?: SrrProvenance_Filter | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type ProvenanceOfQuery = { srrs: Array<{ id: string, provenance: Array<{ id: string, timestamp: string, from: string, to: string, metadataDigest: string, metadataURI: string, isIntermediary: boolean | null, customHistory: { id: string, name: string, metadataDigest: string, createdAt: string, historyType: { name: string } } | null }> }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export type SrrsQueryVariables = Exact<{
  where?: Srr_Filter | null | undefined;
  first: number;
  orderBy?: Srr_OrderBy | null | undefined;
  orderDirection?: OrderDirection | null | undefined;
  block?: Block_Height | null | undefined;
}>;


export type SrrsQuery = { srrs: Array<{ id: string, tokenId: string | null, artistAddress: string | null, ownerAddress: string | null, isPrimaryIssuer: boolean | null, metadataDigest: string | null, transferCommitment: string | null, lockExternalTransfer: boolean | null, royaltyReceiver: string | null, royaltyBasisPoints: number | null, originChain: string | null, originTxHash: string | null, createdAt: string, updatedAt: string, collection: { id: string, name: string, symbol: string, ownerAddress: string, creatorAddress: string, createdAt: string, updatedAt: string } | null, issuer: { id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string } | null, artist: { id: string, walletAddress: string, threshold: number, englishName: string, originalName: string, userType: string, owners: Array<string>, createdAt: string, updatedAt: string } | null }>, _meta: { hasIndexingErrors: boolean, block: { number: number, hash: string | null, timestamp: number | null } } | null };

export const MetaFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}}]} as unknown as DocumentNode;
export const CollectionFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Collection"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"creatorAddress"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;
export const LicensedUserFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LicensedUser"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"walletAddress"}},{"kind":"Field","name":{"kind":"Name","value":"threshold"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}},{"kind":"Field","name":{"kind":"Name","value":"userType"}},{"kind":"Field","name":{"kind":"Name","value":"owners"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;
export const SrrFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Srr"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Collection"}}]}},{"kind":"Field","name":{"kind":"Name","value":"issuer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LicensedUser"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artist"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LicensedUser"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artistAddress"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"isPrimaryIssuer"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"transferCommitment"}},{"kind":"Field","name":{"kind":"Name","value":"lockExternalTransfer"}},{"kind":"Field","name":{"kind":"Name","value":"royaltyReceiver"}},{"kind":"Field","name":{"kind":"Name","value":"royaltyBasisPoints"}},{"kind":"Field","name":{"kind":"Name","value":"originChain"}},{"kind":"Field","name":{"kind":"Name","value":"originTxHash"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LicensedUser"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"walletAddress"}},{"kind":"Field","name":{"kind":"Name","value":"threshold"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}},{"kind":"Field","name":{"kind":"Name","value":"userType"}},{"kind":"Field","name":{"kind":"Name","value":"owners"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Collection"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"creatorAddress"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;
export const CustomHistoryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const ProvenanceFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Provenance"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRProvenance"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"metadataURI"}},{"kind":"Field","name":{"kind":"Name","value":"isIntermediary"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CustomHistory"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const MetadataHistoryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MetadataHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRMetadataHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const SrrHistoryFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SrrHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CustomHistory"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const CollectionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Collections"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Collection_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Collection_orderBy"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderDirection"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"collections"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Collection"}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Collection"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"creatorAddress"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;
export const CustomHistoriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CustomHistories"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"customHistories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CustomHistory"}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const CustomHistoriesOfDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CustomHistoriesOf"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"count"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRRHistory_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srrs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"id_in"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ids"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"count"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"history"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"createdAt"}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"EnumValue","value":"asc"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SrrHistory"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SrrHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CustomHistory"}}]}}]}}]} as unknown as DocumentNode;
export const LicensedUsersDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"LicensedUsers"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet_orderBy"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderDirection"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"licensedUserWallets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LicensedUser"}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LicensedUser"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"walletAddress"}},{"kind":"Field","name":{"kind":"Name","value":"threshold"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}},{"kind":"Field","name":{"kind":"Name","value":"userType"}},{"kind":"Field","name":{"kind":"Name","value":"owners"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;
export const MetaDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Meta"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}}]} as unknown as DocumentNode;
export const MetadataHistoryOfDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"MetadataHistoryOf"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"count"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRRMetadataHistory_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srrs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"id_in"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ids"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"count"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"metadataHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"createdAt"}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"EnumValue","value":"asc"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MetadataHistory"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MetadataHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRMetadataHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode;
export const ProvenanceOfDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ProvenanceOf"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ids"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"count"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRRProvenance_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srrs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"id_in"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ids"}}}]}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"count"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"provenance"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"timestamp"}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"EnumValue","value":"asc"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Provenance"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CustomHistory"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CustomHistory"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"historyType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Provenance"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRRProvenance"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"from"}},{"kind":"Field","name":{"kind":"Name","value":"to"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"metadataURI"}},{"kind":"Field","name":{"kind":"Name","value":"isIntermediary"}},{"kind":"Field","name":{"kind":"Name","value":"customHistory"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CustomHistory"}}]}}]}}]} as unknown as DocumentNode;
export const SrrsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Srrs"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"where"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRR_filter"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SRR_orderBy"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"OrderDirection"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"block"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Block_height"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"srrs"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"where"},"value":{"kind":"Variable","name":{"kind":"Name","value":"where"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderBy"}}},{"kind":"Argument","name":{"kind":"Name","value":"orderDirection"},"value":{"kind":"Variable","name":{"kind":"Name","value":"orderDirection"}}},{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}},{"kind":"Argument","name":{"kind":"Name","value":"subgraphError"},"value":{"kind":"EnumValue","value":"allow"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Srr"}}]}},{"kind":"Field","name":{"kind":"Name","value":"_meta"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"block"},"value":{"kind":"Variable","name":{"kind":"Name","value":"block"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Meta"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Meta"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"_Meta_"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"block"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"number"}},{"kind":"Field","name":{"kind":"Name","value":"hash"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}}]}},{"kind":"Field","name":{"kind":"Name","value":"hasIndexingErrors"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"LicensedUser"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"LicensedUserWallet"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"walletAddress"}},{"kind":"Field","name":{"kind":"Name","value":"threshold"}},{"kind":"Field","name":{"kind":"Name","value":"englishName"}},{"kind":"Field","name":{"kind":"Name","value":"originalName"}},{"kind":"Field","name":{"kind":"Name","value":"userType"}},{"kind":"Field","name":{"kind":"Name","value":"owners"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Collection"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Collection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"symbol"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"creatorAddress"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Srr"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SRR"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"tokenId"}},{"kind":"Field","name":{"kind":"Name","value":"collection"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Collection"}}]}},{"kind":"Field","name":{"kind":"Name","value":"issuer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LicensedUser"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artist"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"LicensedUser"}}]}},{"kind":"Field","name":{"kind":"Name","value":"artistAddress"}},{"kind":"Field","name":{"kind":"Name","value":"ownerAddress"}},{"kind":"Field","name":{"kind":"Name","value":"isPrimaryIssuer"}},{"kind":"Field","name":{"kind":"Name","value":"metadataDigest"}},{"kind":"Field","name":{"kind":"Name","value":"transferCommitment"}},{"kind":"Field","name":{"kind":"Name","value":"lockExternalTransfer"}},{"kind":"Field","name":{"kind":"Name","value":"royaltyReceiver"}},{"kind":"Field","name":{"kind":"Name","value":"royaltyBasisPoints"}},{"kind":"Field","name":{"kind":"Name","value":"originChain"}},{"kind":"Field","name":{"kind":"Name","value":"originTxHash"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode;

export type SdkFunctionWrapper = <T>(action: (requestHeaders?:Record<string, string>) => Promise<T>, operationName: string, operationType?: string, variables?: any) => Promise<T>;


const defaultWrapper: SdkFunctionWrapper = (action, _operationName, _operationType, _variables) => action();
const CollectionsDocumentString = print(CollectionsDocument);
const CustomHistoriesDocumentString = print(CustomHistoriesDocument);
const CustomHistoriesOfDocumentString = print(CustomHistoriesOfDocument);
const LicensedUsersDocumentString = print(LicensedUsersDocument);
const MetaDocumentString = print(MetaDocument);
const MetadataHistoryOfDocumentString = print(MetadataHistoryOfDocument);
const ProvenanceOfDocumentString = print(ProvenanceOfDocument);
const SrrsDocumentString = print(SrrsDocument);
export function getSdk(client: GraphQLClient, withWrapper: SdkFunctionWrapper = defaultWrapper) {
  return {
    Collections(variables: CollectionsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: CollectionsQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<CollectionsQuery>(CollectionsDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'Collections', 'query', variables);
    },
    CustomHistories(variables: CustomHistoriesQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: CustomHistoriesQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<CustomHistoriesQuery>(CustomHistoriesDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'CustomHistories', 'query', variables);
    },
    CustomHistoriesOf(variables: CustomHistoriesOfQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: CustomHistoriesOfQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<CustomHistoriesOfQuery>(CustomHistoriesOfDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'CustomHistoriesOf', 'query', variables);
    },
    LicensedUsers(variables: LicensedUsersQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: LicensedUsersQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<LicensedUsersQuery>(LicensedUsersDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'LicensedUsers', 'query', variables);
    },
    Meta(variables?: MetaQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: MetaQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<MetaQuery>(MetaDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'Meta', 'query', variables);
    },
    MetadataHistoryOf(variables: MetadataHistoryOfQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: MetadataHistoryOfQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<MetadataHistoryOfQuery>(MetadataHistoryOfDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'MetadataHistoryOf', 'query', variables);
    },
    ProvenanceOf(variables: ProvenanceOfQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: ProvenanceOfQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<ProvenanceOfQuery>(ProvenanceOfDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'ProvenanceOf', 'query', variables);
    },
    Srrs(variables: SrrsQueryVariables, requestHeaders?: GraphQLClientRequestHeaders): Promise<{ data: SrrsQuery; errors?: GraphQLError[]; extensions?: any; headers: Headers; status: number; }> {
        return withWrapper((wrappedRequestHeaders) => client.rawRequest<SrrsQuery>(SrrsDocumentString, variables, {...requestHeaders, ...wrappedRequestHeaders}), 'Srrs', 'query', variables);
    }
  };
}
export type Sdk = ReturnType<typeof getSdk>;