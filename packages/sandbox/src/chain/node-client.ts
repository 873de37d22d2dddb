import { type Address, createPublicClient, type Hex, http, type PublicClient } from 'viem';
import { foundry } from 'viem/chains';

/** A node on loopback answers within milliseconds; only a dead or hung one takes longer than this. */
const timeoutMs = 10_000;

export type NodeClient = PublicClient;

/** A typed JSON-RPC client without retries: only the caller knows which calls are safe to repeat. */
export function nodeClient(rpcUrl: string): NodeClient {
  return createPublicClient({
    chain: foundry,
    transport: http(rpcUrl, { timeout: timeoutMs, retryCount: 0 }),
  });
}

/** The parts of a receipt that the sandbox uses; `succeeded` is false when the transaction reverted. */
export interface Receipt {
  transactionHash: Hex;
  blockNumber: number;
  succeeded: boolean;
}

/** Methods that viem's public client lacks, or that are cheaper as raw calls. */
export interface NodeRpc {
  /**
   * Counts of transactions that can be mined now (`pending`) and that wait for an earlier nonce (`queued`).
   */
  pool(): Promise<{ pending: number; queued: number }>;
  /** Sends the queued transactions of accounts again whose next nonce is among them; false when there are none. */
  resendQueued(): Promise<boolean>;
  /** Removes every transaction that is not mined yet. */
  dropPool(): Promise<void>;
  /** Mines one block; `timestamp` is its time in seconds since 1970. */
  mine(timestamp: number): Promise<void>;
  blockReceipts(blockNumber: number): Promise<Receipt[]>;
  hasCode(address: Address): Promise<boolean>;
}

/** Wraps a client with `NodeRpc`. Its methods throw when the node answers with an error. */
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
    resendQueued: async () => {
      const pool = (await request({ method: 'txpool_content', params: [] })) as {
        queued: Record<Address, Record<number, { hash: Hex }>>;
      };
      let resent = false;
      for (const [address, byNonce] of Object.entries(pool.queued) as [
        Address,
        Record<number, { hash: Hex }>,
      ][]) {
        if (!byNonce[await client.getTransactionCount({ address })]) continue;
        resent = true;
        // In the order of their nonces, as the keys of an object are.
        const transactions = await Promise.all(
          Object.values(byNonce).map(({ hash }) =>
            request({ method: 'eth_getRawTransactionByHash', params: [hash] }),
          ),
        );
        await request({ method: 'anvil_removePoolTransactions', params: [address] });
        for (const raw of transactions) await request({ method: 'eth_sendRawTransaction', params: [raw] });
      }
      return resent;
    },
    dropPool: async () => {
      await request({ method: 'anvil_dropAllTransactions', params: [] });
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
