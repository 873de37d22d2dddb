import type { Logger } from '@srr-gateway/common/log';
import type { Abi } from 'viem';
import { registryAbi } from '../chain/artifacts/abis.ts';
import type { Chain } from '../chain/chain.ts';

const oldAddress = 'token URIs keep the old address until the next start';

/**
 * Makes the registry's token URIs of records with a digest point to this service. They are part of the
 * chain, so a sandbox that moved to another address has to write the new one there.
 */
export async function keepMetadataAddress(
  chain: Chain,
  origin: string,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const prefix = `${origin}/api/v1/metadata/`;
  // What a stop cuts off is no fault: the next start writes it again.
  const failed = (why: object) => {
    if (!stopping.aborted) log.info(why, oldAddress);
  };
  try {
    const registry = { address: chain.registryAddress, abi: registryAbi as Abi };
    const current = await chain.client.readContract({ ...registry, functionName: 'metadataURIPrefix' });
    // Empty: a bare chain, which has no such record and gets none.
    if (current === prefix || current === '') return;
    const outcome = await chain.write({ ...registry, functionName: 'setMetadataURIPrefix', args: [prefix] });
    if (outcome.status === 'failed') failed({ reason: outcome.reason });
  } catch (error) {
    failed({ err: error });
  }
}
