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
  SrrRecord,
} from '../clients/subgraph/subgraph.ts';
export { CatalogRequest } from './catalog-request.ts';
export type { ChildPages } from './child-pages.ts';
export type { CollectionFilter, RecordFilter } from './filters.ts';
export { type IndexedRecord, keyOfRow } from './indexed-record.ts';
export type { KeysetPage, Order, PageArgs, PageColumns } from './keyset-page.ts';
export type { MetadataResult, MetadataStatus } from './metadata-result.ts';

/**
 * Creates the reads that join the subgraph and IPFS. All but `request` throw GatewayError when the subgraph is down.
 * Those that decide the outcome of an issuance invalidate the head, because they must see the newest block.
 */
export function createCatalog(deps: CatalogDeps) {
  return {
    /** The reads of one request. */
    request: (signal: AbortSignal) => new CatalogRequest(deps, signal),
    /**
     * An issuer's records minted since a time, newest first, with their documents, up to 5,000. `complete` says
     * whether that is all.
     */
    mintedSince(issuer: Address, since: Date, signal: AbortSignal): Promise<MintedSince> {
      deps.subgraph.invalidateHead();
      return mintedSince(new CatalogRequest(deps, signal), issuer, since);
    },
    /** Which of these addresses are licensed users. */
    async licensedUsers(addresses: readonly Address[], signal: AbortSignal): Promise<ReadonlySet<Address>> {
      const { rows } = await deps.subgraph.byIds('licensedUsers', addresses, { signal });
      return new Set(addresses.filter((address) => rows.has(address.toLowerCase())));
    },
    /** Owners of these collections. Unknown collections are absent; an unknown owner is undefined. */
    async collectionOwners(
      addresses: readonly Address[],
      signal: AbortSignal,
    ): Promise<ReadonlyMap<Address, Address | undefined>> {
      const { rows } = await deps.subgraph.byIds('collections', addresses, { signal });
      return new Map(
        addresses.flatMap((address) => {
          const found = rows.get(address.toLowerCase());
          return found ? [[address, parseAddress(found.ownerAddress ?? '')] as const] : [];
        }),
      );
    },
    /** An issuer's collection by salt or address. */
    deployedCollection(search: CollectionSearch, signal: AbortSignal): Promise<DeployedCollection> {
      deps.subgraph.invalidateHead();
      return deployedCollection(deps.subgraph, search, signal);
    },
    /** Which of these records the subgraph has, and at which block. */
    async mintedOf(keys: RecordKey[], signal: AbortSignal) {
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

export type Catalog = ReturnType<typeof createCatalog>;
