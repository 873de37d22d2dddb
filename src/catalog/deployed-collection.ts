import { parseAddress } from '@srr-gateway/common/address';
import type { CollectionFilter, Subgraph } from '../clients/subgraph/subgraph.ts';
import type { CollectionSearch, DeployedCollection } from '../model/deployed-collection.ts';

/** Maximum of rows. A salt works once for each factory, and a subgraph may index a few factories. */
const first = 20;

/** Finds an issuer's collection by salt or address. @throws GatewayError when the subgraph is down. */
export async function deployedCollection(
  subgraph: Subgraph,
  { issuer, salt, address, since }: CollectionSearch,
  signal: AbortSignal,
): Promise<DeployedCollection> {
  const where: CollectionFilter = salt === null ? { id: (address ?? '').toLowerCase() } : { salt };
  const at = { newest: true, signal };
  const { lists, block } = await subgraph.lists('collections', [{ where, first }], at);
  const found = lists.flat().find(
    ({ creatorAddress, ownerAddress, createdAt }) =>
      // A subgraph from before 1.21 has only the owner, and the issuer may have transferred the collection.
      (creatorAddress ?? ownerAddress) === issuer.toLowerCase() && Number(createdAt) >= since.getTime(),
  );
  return {
    address: found && parseAddress(found.id),
    indexedUntil: block.timestamp === undefined ? undefined : new Date(block.timestamp * 1000),
  };
}
