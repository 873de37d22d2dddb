import type { SrrRecord } from '../clients/subgraph/subgraph.ts';
import { GatewayError } from '../model/errors.ts';

export type Indexing = 'INDEXED' | 'NOT_YET_INDEXED' | 'UNAVAILABLE';

/** What the index says of a record, or why it says nothing. */
export interface ChainPart {
  indexing: Indexing;
  row?: SrrRecord;
  /** The block it was read at. */
  block?: number;
  /** Why it is UNAVAILABLE. */
  error?: GatewayError;
}

export const notYetIndexed: ChainPart = { indexing: 'NOT_YET_INDEXED' };

/** A source that is down takes its own part of the answer with it, not the rest. Bugs stay bugs. */
export function unavailable(error: unknown): ChainPart {
  if (!(error instanceof GatewayError)) throw error;
  return { indexing: 'UNAVAILABLE', error };
}
