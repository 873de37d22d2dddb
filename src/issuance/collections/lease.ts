import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Db } from '../../store/store.ts';
import { LeaseLost, leaseEnd } from '../lease.ts';
import type { CollectionCreationRow, CollectionTurn } from './creation.ts';

/**
 * Leases creations that are due and that no replica holds, except those of the issuers in `busy`, who have
 * their share already. Two replicas that ask at once get different ones.
 */
export function claimDue(
  db: Db,
  owner: string,
  limit: number,
  busy: Address[],
): Promise<CollectionCreationRow[]> {
  return db
    .updateTable('collection_creation')
    .set({ lease_owner: owner, lease_until: leaseEnd() })
    .where('id', 'in', (due) =>
      due
        .selectFrom('collection_creation')
        .select('id')
        .where('next_at', '<=', sql<Date>`clock_timestamp()`)
        .where((where) =>
          where.or([
            where('lease_until', 'is', null),
            where('lease_until', '<', sql<Date>`clock_timestamp()`),
          ]),
        )
        .where('issuer', '!=', sql<Address>`all(${busy}::text[])`)
        .orderBy('next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .execute();
}

/** Gives the lease back. The creation is due again in `afterMs`; undefined: never. */
export async function releaseLease(
  db: Db,
  id: string,
  owner: string,
  afterMs: number | undefined,
  attempts: number,
): Promise<void> {
  const seconds = afterMs === undefined ? null : afterMs / 1000;
  // A delivery that asked for the subgraph meanwhile must not wait for the backoff. Before the request is
  // sent the subgraph has nothing to show.
  const next = sql<Date | null>`case
    when ask_index_at is not null and (status <> 'PENDING' or unanswered_at is not null) then clock_timestamp()
    else clock_timestamp() + make_interval(secs => ${seconds}::double precision) end`;
  await db
    .updateTable('collection_creation')
    .set({ lease_owner: null, lease_until: null, attempts, next_at: next })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .execute();
}

/**
 * Locks the creation in the open transaction.
 * @throws LeaseLost when this step does not hold its lease any more.
 */
export async function lockOwned(trx: Db, { row, owner }: CollectionTurn): Promise<CollectionCreationRow> {
  const locked = await trx
    .selectFrom('collection_creation')
    .selectAll()
    .where('id', '=', row.id)
    .where('issuer', '=', row.issuer)
    .forUpdate()
    .executeTakeFirst();
  if (locked?.lease_owner !== owner) throw new LeaseLost();
  return locked;
}
