import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { CollectionFilter, Subgraph } from '../clients/subgraph/subgraph.ts';

export interface CollectionSearch {
  issuer: Address;
  /** It decides the address; null when only the address is known. */
  salt: string | null;
  address: Address | null;
  /** Collections that were deployed before are left out. */
  since: Date;
}

/** What the index shows of a collection, and up to which moment of the chain it knows. */
export interface DeployedCollection {
  address: Address | undefined;
  /** Unknown to an index that does not tell the time of its blocks. */
  indexedUntil: Date | undefined;
}

/** A salt works once for each factory, and an index may have seen a few of those. */
const first = 20;

/** The issuer's collection of a salt, or at an address. @throws SubgraphError when the index cannot be asked. */
export async function deployedCollection(
  subgraph: Subgraph,
  { issuer, salt, address, since }: CollectionSearch,
  signal: AbortSignal,
): Promise<DeployedCollection> {
  const where: CollectionFilter = salt === null ? { id: (address ?? '').toLowerCase() } : { salt };
  const { collections, block } = await subgraph.collections({ where, first }, { newest: true, signal });
  const found = collections.find(
    ({ creatorAddress, ownerAddress, createdAt }) =>
      // An index from before 1.21 knows the owner alone, who may have handed it over since.
      (creatorAddress ?? ownerAddress) === issuer.toLowerCase() && Number(createdAt) >= since.getTime(),
  );
  return {
    address: found && parseAddress(found.id),
    indexedUntil: block.timestamp === undefined ? undefined : new Date(block.timestamp * 1000),
  };
}
