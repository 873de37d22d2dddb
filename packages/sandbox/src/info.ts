import { z } from 'zod';
import { address } from './http/values.ts';
import type { Parts } from './parts.ts';
import { world } from './world.ts';

/** The response of `GET /sandbox`: all that a program needs to use it. All keys are public play keys. */
export const sandboxInfo = world.extend({
  commerceUrl: z.string().describe('`{base_url}` of the issuance service.'),
  subgraphUrl: z.string(),
  ipfsUrl: z.string().describe('`{cdn_url}`: content is at `<ipfsUrl>/ipfs/<cid>`.'),
  rpcUrl: z.string().describe('JSON-RPC of the EVM.'),
  chainId: z.int(),
  registryAddress: address.describe('The contract of records without a collection.'),
  vendor: z.object({ path: z.string(), prefix: z.string() }),
});
export type SandboxInfo = z.infer<typeof sandboxInfo>;

/** The response of `GET /sandbox`, for a sandbox at this origin. */
export function infoOf(origin: string, { chain, world: people, settings }: Parts): SandboxInfo {
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
