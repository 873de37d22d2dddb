import type { Address } from '../../lib/address.ts';
import type { Db } from '../store/tables.ts';
import { readCollectionRequest } from './body/collection-request.ts';

/** `result` of the 201 answer. */
export interface CollectionResult {
  name: string;
  symbol: string;
  collectionAddress: Address;
  status: 'waiting_for_mining';
}

export interface CollectionsOptions {
  db: Db;
  /** CREATE2: the address follows from the salt alone. */
  predictCollection(salt: `0x${string}`): Address;
  onAccepted(): void;
}

/**
 * `POST /commerce/collection`. A salt works once per chain: a second use of it is accepted, since only
 * the chain knows, and its transaction fails there.
 */
export async function createCollection(
  issuer: Address,
  body: unknown,
  { db, predictCollection, onAccepted }: CollectionsOptions,
): Promise<{ result: CollectionResult }> {
  const { name, symbol, salt } = readCollectionRequest(body);
  const address = predictCollection(salt);
  await db
    .insertInto('collection')
    .values({
      address,
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
  return { result: { name, symbol, collectionAddress: address, status: 'waiting_for_mining' } };
}
