import type { Parts } from './parts.ts';
import type { World } from './world.ts';

/** `GET /sandbox`: everything a program needs to use the sandbox. All keys in it are public play keys. */
export interface SandboxInfo extends World {
  /** `{base_url}` of the issuance service. */
  commerceUrl: string;
  subgraphUrl: string;
  /** `{cdn_url}`: content is at `<ipfsUrl>/ipfs/<cid>`. */
  ipfsUrl: string;
  /** JSON-RPC of the EVM. */
  rpcUrl: string;
  chainId: number;
  /** The contract of records without a collection. */
  registryAddress: string;
  vendor: { path: string; prefix: string };
}

export function sandboxInfo(origin: string, { chain, world, settings }: Parts): SandboxInfo {
  return {
    commerceUrl: origin,
    subgraphUrl: `${origin}/subgraph`,
    ipfsUrl: origin,
    rpcUrl: chain.rpcUrl,
    chainId: chain.chainId,
    registryAddress: chain.registryAddress,
    vendor: settings.vendor,
    ...world,
  };
}
