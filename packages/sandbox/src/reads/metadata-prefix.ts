import type { Logger } from '@srr-gateway/common/log';
import type { Abi } from 'viem';
import { registryAbi } from '../chain/artifacts/abis.ts';
import type { Chain } from '../chain/chain.ts';

const oldPrefix = 'token URIs keep the old address until the next start';

/**
 * Makes the token URIs of the registry's records with a digest point to this sandbox. Their prefix is stored
 * on the chain, so a sandbox that moved to another address must write the new one. Logs a failure.
 */
export async function updateMetadataPrefix(
  chain: Chain,
  origin: string,
  log: Logger,
  stopping: AbortSignal,
): Promise<void> {
  const prefix = `${origin}/api/v1/metadata/`;
  // Do not log a failure during a stop, because the next start writes the address again.
  const failed = (why: object) => {
    if (!stopping.aborted) log.info(why, oldPrefix);
  };
  try {
    const registry = { address: chain.registryAddress, abi: registryAbi as Abi };
    const current = await chain.client.readContract({ ...registry, functionName: 'metadataURIPrefix' });
    // Empty: a chain without the seeded world, which has no record with a digest and gets none.
    if (current === prefix || current === '') return;
    const outcome = await chain.write({ ...registry, functionName: 'setMetadataURIPrefix', args: [prefix] });
    if (outcome.status === 'failed') failed({ reason: outcome.reason });
  } catch (error) {
    failed({ err: error });
  }
}
