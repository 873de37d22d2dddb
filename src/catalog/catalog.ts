import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { CollectionSearch, DeployedCollection } from '../model/deployed-collection.ts';
import type { MintedSince, RecordKey } from '../model/record.ts';
import { type CatalogDeps, CatalogRequest } from './catalog-request.ts';
import { deployedCollection } from './deployed-collection.ts';
import { mintedSince } from './minted-since.ts';

export type {
  BlockRef,
  CollectionRecord,
  CustomHistoryRecord,
  LicensedUserRecord,
  MetadataHistoryRecord,
  ProvenanceRecord,
  SrrHistoryRecord,
  SrrRecord,
} from '../clients/subgraph/subgraph.ts';
export type { CatalogDeps } from './catalog-request.ts';
export { CatalogRequest } from './catalog-request.ts';
export type { ChildPages } from './child-pages.ts';
export type { CollectionFilter, LicensedUserFilter, RecordFilter } from './filters.ts';
export { type IndexedRecord, type Indexing, keyOfRow } from './indexed-record.ts';
export type { KeysetPage, Order, PageArgs, PageColumns } from './keyset-page.ts';
export type { Edge } from './lazy-edge.ts';
export type { MetadataResult, MetadataStatus } from './metadata-result.ts';

/** Reads that join the subgraph and IPFS. */
export interface Catalog {
  /** The reads of one request; make a new one for each request. */
  request(signal: AbortSignal): CatalogRequest;
  /** Which of these records the subgraph has, and at which block. @throws GatewayError when it is down. */
  mintedOf(
    keys: RecordKey[],
    signal: AbortSignal,
  ): Promise<{ block: number | undefined; minted: RecordKey[] }>;
  /**
   * An issuer's records minted since a time, newest first, with their documents: 5,000 at most. `complete` says whether
   * these are all.
   * @throws GatewayError when the subgraph is unavailable.
   */
  mintedSince(issuer: Address, since: Date, signal: AbortSignal): Promise<MintedSince>;
  /** Which of these addresses are licensed users. @throws GatewayError when the subgraph is unavailable. */
  licensedUsers(addresses: readonly Address[], signal: AbortSignal): Promise<ReadonlySet<Address>>;
  /**
   * Owners of these collections. Unknown collections are absent; an unknown owner is undefined.
   * @throws GatewayError when the subgraph is unavailable.
   */
  collectionOwners(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, Address | undefined>>;
  /** An issuer's collection by salt or address. @throws GatewayError when the subgraph is unavailable. */
  deployedCollection(search: CollectionSearch, signal: AbortSignal): Promise<DeployedCollection>;
}

/** Makes the catalog over its sources. */
export function createCatalog(deps: CatalogDeps): Catalog {
  return {
    request: (signal) => new CatalogRequest(deps, signal),
    // These reads decide the outcome of an issuance, so they must see the newest block, not a cached one.
    mintedSince: (issuer, since, signal) => {
      deps.subgraph.invalidateHead();
      return mintedSince(new CatalogRequest(deps, signal), issuer, since);
    },
    licensedUsers: async (addresses, signal) => {
      const { rows } = await deps.subgraph.byIds('licensedUsers', addresses, { signal });
      return new Set(addresses.filter((address) => rows.has(address.toLowerCase())));
    },
    collectionOwners: async (addresses, signal) => {
      const { rows } = await deps.subgraph.byIds('collections', addresses, { signal });
      return new Map(
        addresses.flatMap((address) => {
          const found = rows.get(address.toLowerCase());
          return found ? [[address, parseAddress(found.ownerAddress ?? '')] as const] : [];
        }),
      );
    },
    deployedCollection: (search, signal) => {
      deps.subgraph.invalidateHead();
      return deployedCollection(deps.subgraph, search, signal);
    },
    mintedOf: async (keys, signal) => {
      deps.subgraph.invalidateHead();
      const request = new CatalogRequest(deps, signal);
      const parts = await Promise.all(keys.map((key) => request.indexedRecord(key)));
      const failed = parts.find((part) => part.error);
      if (failed?.error) throw failed.error;
      return {
        block: request.block?.number,
        minted: keys.filter((_, i) => parts[i]?.indexing === 'INDEXED'),
      };
    },
  };
}
