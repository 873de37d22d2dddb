import type { Address } from '@srr-gateway/common/address';

/** A search for a collection in the subgraph. */
export interface CollectionSearch {
  issuer: Address;
  /** The salt decides the address. `salt` or `address` is not null. */
  salt: string | null;
  address: Address | null;
  /** A collection that was deployed before this belongs to an earlier creation with the same salt. */
  since: Date;
}

export interface DeployedCollection {
  /** Undefined when the subgraph does not show the collection. */
  address: Address | undefined;
  /** Block time. Undefined when the subgraph does not give the time of its blocks. */
  indexedUntil: Date | undefined;
}
