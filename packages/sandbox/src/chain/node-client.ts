import { type Address, createPublicClient, type Hex, http, type PublicClient } from 'viem';
import { foundry } from 'viem/chains';

/** A node answers on loopback within milliseconds; only a dead or wedged one needs longer than this. */
const timeoutMs = 10_000;

export type NodeClient = PublicClient;

/** A typed JSON-RPC client; it does not retry, because whoever sends knows what may be repeated. */
export function nodeClient(rpcUrl: string): NodeClient {
  return createPublicClient({
    chain: foundry,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0 }),
  });
}

export interface Receipt {
  transactionHash: Hex;
  blockNumber: number;
  succeeded: boolean;
}

/** Methods of the node that are outside the standard set, or cheaper in their raw form. */
export interface NodeRpc {
  /** Transactions that can be mined at once, and those that wait for an earlier nonce. */
  pool(): Promise<{ pending: number; queued: number }>;
  mine(timestamp: number): Promise<void>;
  blockReceipts(blockNumber: number): Promise<Receipt[]>;
  hasCode(address: Address): Promise<boolean>;
}

export function nodeRpc(client: NodeClient): NodeRpc {
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>;
  return {
    pool: async () => {
      const status = (await request({ method: 'txpool_status', params: [] })) as {
        pending: Hex;
        queued: Hex;
      };
      return { pending: Number(status.pending), queued: Number(status.queued) };
    },
    mine: async (timestamp) => {
      await request({ method: 'evm_mine', params: [`0x${timestamp.toString(16)}`] });
    },
    blockReceipts: async (blockNumber) => {
      const receipts = (await request({
        method: 'eth_getBlockReceipts',
        params: [`0x${blockNumber.toString(16)}`],
      })) as { transactionHash: Hex; status: Hex }[] | null;
      return (receipts ?? []).map((receipt) => ({
        transactionHash: receipt.transactionHash,
        blockNumber,
        succeeded: receipt.status === '0x1',
      }));
    },
    hasCode: async (address) => {
      const code = await client.getCode({ address });
      return code !== undefined && code !== '0x';
    },
  };
}
