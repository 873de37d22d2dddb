import type { Selectable } from 'kysely';
import type { Credentials } from '../../clients/commerce/commerce.ts';
import type { CollectionCreationTable } from '../../store/tables.ts';
import type { Standing } from '../belief.ts';
import type { FlowDeps } from '../flow.ts';

export type CollectionCreationRow = Selectable<CollectionCreationTable>;

/** What the flow of a collection works with. */
export type CollectionDeps = Pick<
  FlowDeps,
  'db' | 'signals' | 'commerce' | 'log' | 'keys' | 'alone' | 'deployedCollection'
> & { timeouts: Pick<FlowDeps['timeouts'], 'reconcileAfter' | 'drain' | 'failureWatch' | 'request'> };

/** One turn of work on one creation, under its lease. */
export interface CollectionTurn {
  deps: CollectionDeps;
  row: CollectionCreationRow;
  owner: string;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

/** One that speaks to the service in the issuer's name. */
export interface IssuersCollectionTurn extends CollectionTurn {
  credentials: Credentials;
}

/** Where a creation stands in the table of belief. */
export function standingOf({ status, sent, salt_free }: CollectionCreationRow): Standing {
  if (status === 'ISSUED') return 'ISSUED';
  if (status === 'FAILED') return salt_free ? 'REFUSED' : 'FAILED';
  if (sent === 0 && status === 'PENDING') return 'UNSENT';
  // Of two requests with one salt, one fails: that failure says nothing of the other one.
  return status === 'PENDING' || sent > 1 ? 'SENT' : 'ACCEPTED';
}
