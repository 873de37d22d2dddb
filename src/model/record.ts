import { type Address, parseAddress } from '@srr-gateway/common/address';
import { isTokenId } from './token-id.ts';

/** Identifies a record on chain. `collection` is null for a record of the registry. */
export interface RecordKey {
  collection: Address | null;
  tokenId: string;
}

/** A record's key as text, for maps and caches. */
export const recordKeyText = ({ collection, tokenId }: RecordKey): string =>
  `${collection ?? 'registry'}/${tokenId}`;

/** The key of a record by the columns of an event or an entry with a token id. */
export const recordKeyOfRow = (row: {
  token_id: string | null;
  collection_address: Address | null;
}): RecordKey => ({ collection: row.collection_address, tokenId: row.token_id as string });

/** Parses a text of `recordKeyText`; undefined for other text. */
export function recordKeyIn(text: string): RecordKey | undefined {
  const [place = '', tokenId = ''] = text.split('/');
  const collection = place === 'registry' ? null : parseAddress(place);
  return collection === undefined || !isTokenId(tokenId) ? undefined : { collection, tokenId };
}

/** A record on chain, with the data that identifies its entry. */
export interface MintedRecord extends RecordKey {
  artist: string | null;
  metadataCID: string | null;
  /** Undefined when no IPFS gateway delivered it. */
  document?: Record<string, unknown> | undefined;
}

/** An issuer's minted records in the subgraph, and how far it is synced. */
export interface MintedSince {
  /** Block time. Undefined when the subgraph does not give the time of its blocks. */
  indexedUntil: Date | undefined;
  minted: MintedRecord[];
  /** False when the chain has more records, so that one may exist that is not in `minted`. */
  complete: boolean;
}
