import { z } from 'zod';
import type { Chain } from '../chain/chain.ts';
import type { SandboxSettings } from '../config/settings.ts';
import { address } from '../http/values.ts';
import { type World, world } from '../licensing/participants.ts';

/** The response of `GET /sandbox`: all that a program needs to use it. All keys are public play keys. */
export const sandboxInfo = world.extend({
  commerceUrl: z.string().describe('`{base_url}` of the issuance service.'),
  subgraphUrl: z.string(),
  ipfsUrl: z.string().describe('`{cdn_url}` of the service: content is at `<ipfsUrl>/ipfs/<cid>`.'),
  rpcUrl: z.string().describe('JSON-RPC of the EVM.'),
  chainId: z.int(),
  registryAddress: address.describe('The contract of records without a collection.'),
  vendor: z.object({ path: z.string(), prefix: z.string() }),
});
export type SandboxInfo = z.infer<typeof sandboxInfo>;

/** The response of `GET /sandbox`, for a sandbox at this origin. */
export function infoOf(
  origin: string,
  {
    chain,
    world: people,
    settings,
  }: {
    chain: Pick<Chain, 'rpcUrl' | 'chainId' | 'registryAddress'>;
    world: World;
    settings: Pick<SandboxSettings, 'vendor'>;
  },
): SandboxInfo {
  return {
    commerceUrl: origin,
    subgraphUrl: `${origin}/subgraph`,
    ipfsUrl: origin,
    rpcUrl: chain.rpcUrl,
    chainId: chain.chainId,
    registryAddress: chain.registryAddress,
    vendor: settings.vendor,
    ...people,
  };
}
