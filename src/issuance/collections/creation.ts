import type { Selectable } from 'kysely';
import type { Credentials } from '../../clients/commerce/commerce.ts';
import type { CollectionCreationTable } from '../../store/tables.ts';
import type { Standing } from '../belief.ts';
import type { FlowDeps } from '../flow.ts';

export type CollectionCreationRow = Selectable<CollectionCreationTable>;

/** What the steps of a creation need. */
export type CollectionDeps = Pick<
  FlowDeps,
  'db' | 'signals' | 'commerce' | 'log' | 'keys' | 'alone' | 'deployedCollection'
> & { timeouts: Pick<FlowDeps['timeouts'], 'reconcileAfter' | 'drain' | 'failureWatch' | 'request'> };

/** Context of the steps on one creation, while its lease is held. */
export interface CollectionTurn {
  deps: CollectionDeps;
  row: CollectionCreationRow;
  owner: string;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

/** Context of a step that calls the service as the issuer. */
export interface IssuersCollectionTurn extends CollectionTurn {
  credentials: Credentials;
}

/** Where a creation stands in the table of `belief.ts`. */
export function standingOf({ status, sent, salt_free }: CollectionCreationRow): Standing {
  if (status === 'ISSUED') return 'ISSUED';
  if (status === 'FAILED') return salt_free ? 'REFUSED' : 'FAILED';
  if (sent === 0 && status === 'PENDING') return 'UNSENT';
  // When a salt was sent twice one request fails anyway: that failure says nothing about the other.
  return status === 'PENDING' || sent > 1 ? 'SENT' : 'ACCEPTED';
}
