import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { CollectionFilter, Subgraph } from '../clients/subgraph/subgraph.ts';

/** Which collection to look for. */
export interface CollectionSearch {
  issuer: Address;
  /** The salt decides the address. Null when only the address is known. */
  salt: string | null;
  address: Address | null;
  /** Collections deployed before this moment are left out. */
  since: Date;
}

/** What the subgraph has of a collection, and how far it has indexed the chain. */
export interface DeployedCollection {
  address: Address | undefined;
  /** Undefined when the subgraph does not give the time of its blocks. */
  indexedUntil: Date | undefined;
}

/** A salt can be used once for each factory, and a subgraph may have indexed a few factories. */
const first = 20;

/** Finds an issuer's collection by salt or address. @throws GatewayError when the subgraph is down. */
export async function deployedCollection(
  subgraph: Subgraph,
  { issuer, salt, address, since }: CollectionSearch,
  signal: AbortSignal,
): Promise<DeployedCollection> {
  const where: CollectionFilter = salt === null ? { id: (address ?? '').toLowerCase() } : { salt };
  const { collections, block } = await subgraph.collections({ where, first }, { newest: true, signal });
  const found = collections.find(
    ({ creatorAddress, ownerAddress, createdAt }) =>
      // A subgraph from before 1.21 has only the owner, and the issuer may have transferred the collection.
      (creatorAddress ?? ownerAddress) === issuer.toLowerCase() && Number(createdAt) >= since.getTime(),
  );
  return {
    address: found && parseAddress(found.id),
    indexedUntil: block.timestamp === undefined ? undefined : new Date(block.timestamp * 1000),
  };
}
