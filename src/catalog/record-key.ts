import type { Address } from '@srr-gateway/common/address';

/** A record's place: its collection, or the registry when `collection` is null. */
export interface RecordKey {
  collection: Address | null;
  tokenId: string;
}

export const recordKeyText = ({ collection, tokenId }: RecordKey): string =>
  `${collection ?? 'registry'}/${tokenId}`;
