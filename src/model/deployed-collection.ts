import type { Address } from '@srr-gateway/common/address';

/** Which collection to look for in the subgraph. */
export interface CollectionSearch {
  issuer: Address;
  /** The salt decides the address. At least one of `salt` and `address` is known. */
  salt: string | null;
  address: Address | null;
  /** A collection that was deployed before this belongs to an earlier creation with the same salt. */
  since: Date;
}

/** What the subgraph has of a collection, and how far it is synced. */
export interface DeployedCollection {
  /** Undefined when the subgraph does not show the collection. */
  address: Address | undefined;
  /** Block time. Undefined when the subgraph does not give the time of its blocks. */
  indexedUntil: Date | undefined;
}
