import type { Address } from '@srr-gateway/common/address';
import { checkpoint } from '../checkpoint.ts';
import { clockSlackMs } from '../subgraph-lag.ts';
import { type CollectionContext, changeWithLog } from './creation.ts';
import { settle } from './settle.ts';

/** Result of a query of the subgraph. `MISSING`: it does not show the collection, as far as it is synced. */
export type LookUp = { state: 'FOUND' } | { state: 'MISSING'; indexedUntil: Date | undefined };

/**
 * Queries the subgraph for the collection, and settles the creation if it is there. It is the issuer's collection
 * with this salt, newer than the first request.
 */
export async function lookUp(context: CollectionContext): Promise<LookUp> {
  const { deps, row, signal } = context;
  const since = new Date((row.first_sent_at ?? row.created_at).getTime() - clockSlackMs);
  const { issuer, salt, address } = row;
  const found = await deps.deployedCollection({ issuer, salt, address, since }, signal);
  checkpoint('subgraph-asked', row.id);
  if (!found.address) return { state: 'MISSING', indexedUntil: found.indexedUntil };
  await settleDeployed(context, found.address);
  checkpoint('subgraph-recorded', row.id);
  return { state: 'FOUND' };
}

async function settleDeployed(context: CollectionContext, address: Address): Promise<void> {
  await changeWithLog(context, async (trx, row) => {
    // This creation's salt was refused, and a later creation uses it: the collection is that one's.
    const another = row.salt_free
      ? await trx
          .selectFrom('collection_creation')
          .select('id')
          .where('issuer', '=', row.issuer)
          .where('salt', '=', row.salt)
          .where('id', '!=', row.id)
          .executeTakeFirst()
      : undefined;
    if (!another) await settle(trx, row, { status: 'ISSUED', source: 'SUBGRAPH', address });
  });
}
