import type { SandboxInfo } from '@srr-gateway/sandbox';
import { type Address, createPublicClient, http, parseAbi } from 'viem';

const contract = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'function tokenURI(uint256 tokenId) view returns (string)',
]);

/** A mint on the chain. */
export interface Mint {
  tokenId: string;
  /** `name` in the metadata of the token, which the tests set to the externalId of the entry. */
  name: string;
}

/**
 * Reads every mint from the chain, and the name of each token from its `tokenURI`. This shows a record that
 * was minted twice under different token ids, whatever the service or the gateway report.
 */
export function mintReader(info: Pick<SandboxInfo, 'rpcUrl' | 'ipfsUrl'>): () => Promise<Mint[]> {
  const chain = createPublicClient({ transport: http(info.rpcUrl) });
  const nameOf = async (address: Address, tokenId: bigint): Promise<string> => {
    const uri = await chain.readContract({
      address,
      abi: contract,
      functionName: 'tokenURI',
      args: [tokenId],
    });
    const response = await fetch(uri.replace('ipfs://', `${info.ipfsUrl}/ipfs/`));
    if (!response.ok) throw new Error(`${uri} could not be read: the gateway answered ${response.status}`);
    return ((await response.json()) as { name: string }).name;
  };
  // These tests change no metadata, so each token is read only once.
  const names = new Map<string, string>();
  return async () => {
    const logs = await chain.getContractEvents({
      abi: contract,
      eventName: 'Transfer',
      args: { from: '0x0000000000000000000000000000000000000000' },
      fromBlock: 0n,
      strict: true,
    });
    const mints: Mint[] = [];
    for (const { address, args } of logs) {
      const tokenId = String(args.tokenId);
      const token = `${address} ${tokenId}`;
      const name = names.get(token) ?? (await nameOf(address, args.tokenId));
      names.set(token, name);
      mints.push({ tokenId, name });
    }
    return mints;
  };
}
