import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { Db } from '../../store/store.ts';
import { LeaseLost, leaseEnd } from '../lease.ts';
import type { CollectionCreationRow, CollectionTurn } from './creation.ts';

/**
 * Takes creations that are due and no replica's, of all issuers but those that have their share already. Two
 * replicas that ask at once take different ones.
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

/** Hands the creation back: due again in `afterMs`, or never. */
export async function releaseLease(
  db: Db,
  id: string,
  owner: string,
  afterMs: number | undefined,
  attempts: number,
): Promise<void> {
  const seconds = afterMs === undefined ? null : afterMs / 1000;
  // A hint that came meanwhile is not to wait for the backoff; while there is nothing but to send, it tells nothing.
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

/** Locks the creation for the open transaction, and checks that the step still owns it. */
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
