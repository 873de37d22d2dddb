import type { Hex } from 'viem';
import type { NodeClient } from './node-client.ts';

/** What a reorganisation replaced; `head` is the chain's height. */
export interface Replaced {
  head: number;
  /** Height of the lowest replaced block. */
  from: number;
  /** Hashes of the transactions in the replaced blocks. */
  transactions: Hex[];
}

/**
 * Replaces the last `depth` blocks with empty ones. With `again`, their transactions return to the pool with
 * the same signatures and hashes, so that the next block has them.
 * Throws when the node lacks a block's state.
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
  // Send them in their old order, which is the order of their nonces.
  for (const serializedTransaction of raw) await client.sendRawTransaction({ serializedTransaction });
  return { head, from, transactions: hashes };
}

function rawOf(client: NodeClient, hash: Hex): Promise<Hex> {
  return client.request<{ Method: 'eth_getRawTransactionByHash'; Parameters: [Hex]; ReturnType: Hex }>({
    method: 'eth_getRawTransactionByHash',
    params: [hash],
  });
}
