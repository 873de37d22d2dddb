import type { Address } from '@srr-gateway/common/address';

/** What to look for in the subgraph. */
export interface CollectionKey {
  issuer: Address;
  /** At least one of `salt` and `address` is known. */
  salt: string | null;
  address: Address | null;
  /** A collection that was deployed before this belongs to an earlier creation with the same salt. */
  since: Date;
}

/**
 * What the subgraph shows: the address, undefined when the collection is not there, and the block time up to
 * which it is synced, undefined when it does not say.
 */
export interface DeployedCollection {
  address: Address | undefined;
  indexedUntil: Date | undefined;
}
