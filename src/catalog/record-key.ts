import type { Address } from '@srr-gateway/common/address';

/** Identifies a record; `collection` is null for a record of the registry. */
export interface RecordKey {
  collection: Address | null;
  tokenId: string;
}

/** A record's key as text, for maps and caches. */
export const recordKeyText = ({ collection, tokenId }: RecordKey): string =>
  `${collection ?? 'registry'}/${tokenId}`;
