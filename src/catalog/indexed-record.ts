import type { BlockRef, SrrRecord } from '../clients/subgraph/subgraph.ts';
import { GatewayError } from '../model/errors.ts';

export type Indexing = 'INDEXED' | 'NOT_YET_INDEXED' | 'UNAVAILABLE';

/** A record as the subgraph has it, or why there is nothing. */
export interface IndexedRecord {
  indexing: Indexing;
  row?: SrrRecord;
  /** The block it was read at. */
  at?: BlockRef;
  /** Why it is UNAVAILABLE. */
  error?: GatewayError;
}

/** The subgraph answered, and does not have the record yet. */
export const notYetIndexed: IndexedRecord = { indexing: 'NOT_YET_INDEXED' };

/**
 * Makes a failed source cost only its own part of the answer.
 * @throws the error itself when it is no GatewayError: that is a bug and must not be hidden.
 */
export function unavailable(error: unknown): IndexedRecord {
  if (!(error instanceof GatewayError)) throw error;
  return { indexing: 'UNAVAILABLE', error };
}
