import type { Credentials } from '../../clients/commerce/commerce.ts';
import { type DueRow, lockLeased } from '../../store/due-rows.ts';
import { lockLog } from '../../store/lock-log.ts';
import type { Leased } from '../../store/row-worker.ts';
import type { Db } from '../../store/store.ts';
import type { DecisionState } from '../decision-table.ts';
import type { FlowDeps } from '../flow.ts';

/** A row of `collection_creation`, typed for its worker. */
export type CollectionCreationRow = DueRow<'collection_creation'>;

/** Dependencies of the steps of a creation. */
export type CollectionDeps = Pick<
  FlowDeps,
  'db' | 'signals' | 'commerce' | 'log' | 'keys' | 'alone' | 'deployedCollection'
> & {
  timeouts: Pick<
    FlowDeps['timeouts'],
    'filesReady' | 'reconcileAfter' | 'drain' | 'failureWatch' | 'request'
  >;
};

/** Context of the steps on one creation, while its lease is held. */
export interface CollectionContext extends Leased<'collection_creation'> {
  deps: CollectionDeps;
}

/** Context of a step that calls the service as the issuer. */
export interface IssuerCollectionContext extends CollectionContext {
  credentials: Credentials;
}

type Change<R> = (trx: Db, row: CollectionCreationRow) => Promise<R>;

/**
 * Runs a transaction that holds the creation's row.
 * @throws LeaseLost when this step no longer holds its lease.
 */
export const changeOwned = <R>({ deps, row, owner }: CollectionContext, change: Change<R>): Promise<R> =>
  deps.db
    .transaction()
    .execute(async (trx) => change(trx, await lockLeased(trx, 'collection_creation', row, owner)));

/** The same, with the lock of the issuer's log (see `lockLog`). */
export const changeWithLog = <R>({ deps, row, owner }: CollectionContext, change: Change<R>): Promise<R> =>
  deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, row.issuer);
    return change(trx, await lockLeased(trx, 'collection_creation', row, owner));
  });

/** State of a creation in `decision-table.ts`. */
export function decisionStateOf({ status, sent, salt_free }: CollectionCreationRow): DecisionState {
  if (status === 'ISSUED') return 'ISSUED';
  if (status === 'FAILED') return salt_free ? 'REFUSED' : 'FAILED';
  if (sent === 0 && status === 'PENDING') return 'UNSENT';
  // When a salt was sent twice, one request must fail, which says nothing about the other.
  return status === 'PENDING' || sent > 1 ? 'SENT' : 'ACCEPTED';
}
