import type { Address } from '@srr-gateway/common/address';
import { z } from 'zod';
import { address } from '../http/values.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/tables.ts';
import type { collectionRequest } from './body/collection-request.ts';

export const acceptedCollection = z
  .object({
    result: z.object({
      name: z.string(),
      symbol: z.string(),
      collectionAddress: address,
      status: z.literal('waiting_for_mining'),
    }),
  })
  .describe('The transaction was sent to the chain.');

/** Dependencies of the creation of collections. */
export interface CollectionsOptions {
  db: Db;
  /** The contract is deployed by CREATE2, so its address follows from the salt alone. */
  predictCollection(salt: `0x${string}`): Address;
  /** Called when a collection waits to be deployed. */
  onAccepted(): void;
}

/**
 * `POST /commerce/collection`. A salt works once per chain. Only the chain knows whether it was used, so a
 * second use is accepted here and its transaction fails.
 */
export async function createCollection(
  issuer: Address,
  { payload: { name, symbol, salt } }: z.infer<typeof collectionRequest>,
  { db, predictCollection, onAccepted }: CollectionsOptions,
): Promise<z.infer<typeof acceptedCollection>> {
  const collectionAddress = predictCollection(salt);
  await db
    .insertInto('collection')
    .values({
      address: collectionAddress,
      issuer,
      name,
      symbol,
      salt,
      status: 'waiting_for_mining',
      reason: null,
      tx_hash: null,
    })
    .execute();
  onAccepted();
  return { result: { name, symbol, collectionAddress, status: 'waiting_for_mining' } };
}

/** Those of the addresses that are deployed collections of the issuer. */
export async function ownedCollections(
  db: Db,
  issuer: Address,
  addresses: Iterable<Address>,
): Promise<Address[]> {
  const rows = await db
    .selectFrom('collection')
    .select('address')
    .where('issuer', '=', issuer)
    .where('status', '=', 'created')
    .where(anyOf('address', addresses))
    .execute();
  return rows.map(({ address }) => address);
}
