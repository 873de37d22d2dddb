import { createPublicClient, http, parseAbiItem } from 'viem';

const transfer = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
);

/** How often each of these tokens was minted, by the chain's Transfer events; 0 for `undefined`. */
export async function mintsOf(rpcUrl: string, tokenIds: (string | undefined)[]): Promise<number[]> {
  const chain = createPublicClient({ transport: http(rpcUrl) });
  const logs = await chain.getLogs({
    event: transfer,
    args: { from: '0x0000000000000000000000000000000000000000' },
    fromBlock: 0n,
  });
  const counts = new Map<string, number>();
  for (const { args } of logs) counts.set(String(args.tokenId), (counts.get(String(args.tokenId)) ?? 0) + 1);
  return tokenIds.map((tokenId) => counts.get(tokenId ?? '') ?? 0);
}
