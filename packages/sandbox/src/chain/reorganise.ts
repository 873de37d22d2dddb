import type { Hex } from 'viem';
import type { NodeClient } from './node-client.ts';

export interface Replaced {
  head: number;
  /** The lowest block that is another one now. */
  from: number;
  /** Those that stood in the replaced blocks. */
  transactions: Hex[];
}

/**
 * Replaces the last `depth` blocks by empty ones. With `again` their transactions return to the pool as
 * they were, signature and hash included, so that the next block has them.
 */
export async function replaceBlocks(
  client: NodeClient,
  depth: number,
  transactions: 'again' | 'lost',
): Promise<Replaced> {
  const head = Number(await client.getBlockNumber({ cacheTime: 0 }));
  const from = head - depth + 1;
  const hashes: Hex[] = [];
  for (let number = from; number <= head; number++)
    hashes.push(...(await client.getBlock({ blockNumber: BigInt(number) })).transactions);
  const raw = transactions === 'again' ? await Promise.all(hashes.map((hash) => rawOf(client, hash))) : [];
  await client.request<{ Method: 'anvil_reorg'; Parameters: [number, []]; ReturnType: null }>({
    method: 'anvil_reorg',
    params: [depth, []],
  });
  // In their old order: each needs the nonce after that of the one before it.
  for (const serializedTransaction of raw) await client.sendRawTransaction({ serializedTransaction });
  return { head, from, transactions: hashes };
}

function rawOf(client: NodeClient, hash: Hex): Promise<Hex> {
  return client.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hex]; ReturnType: Hex }>({
    method: 'eth_getRawTransactionByHash',
    params: [hash],
  });
}
