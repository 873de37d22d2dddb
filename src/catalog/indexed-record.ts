import { parseAddress } from '@srr-gateway/common/address';
import type { BlockRef, SrrRecord } from '../clients/subgraph/subgraph.ts';
import { GatewayError } from '../model/errors.ts';
import type { RecordKey } from '../model/record.ts';

/** Whether the subgraph has a record (`Indexing` in the schema). */
export type Indexing = 'INDEXED' | 'NOT_YET_INDEXED' | 'UNAVAILABLE';

/** A record in the subgraph, or why there is none. */
export interface IndexedRecord {
  indexing: Indexing;
  row?: SrrRecord;
  /** The block it was read at. */
  at?: BlockRef;
  /** Why it is UNAVAILABLE. */
  error?: GatewayError;
}

/** The key of an indexed record. */
export function keyOfRow(row: SrrRecord): RecordKey {
  return { collection: parseAddress(row.collection?.id ?? '') ?? null, tokenId: row.tokenId ?? '' };
}

/** The subgraph does not have the record yet. */
export const notYetIndexed: IndexedRecord = { indexing: 'NOT_YET_INDEXED' };

/**
 * Stands in for a record that could not be read, so that the other parts of an answer succeed.
 * @throws the error itself when it is not a GatewayError: that is a bug and must not be hidden.
 */
export function unavailable(error: unknown): IndexedRecord {
  if (!(error instanceof GatewayError)) throw error;
  return { indexing: 'UNAVAILABLE', error };
}
