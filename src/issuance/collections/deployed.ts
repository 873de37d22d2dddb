import type { Address } from '@srr-gateway/common/address';

/** What to look for in the index. */
export interface CollectionKey {
  issuer: Address;
  /** At least one of the two is known. */
  salt: string | null;
  address: Address | null;
  /** A collection that was deployed before is an earlier one under the same salt. */
  since: Date;
}

/** What the index shows of it, and up to which moment of the chain the index knows, when it tells. */
export interface DeployedCollection {
  address: Address | undefined;
  indexedUntil: Date | undefined;
}
