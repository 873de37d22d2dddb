import type { Hex, PublicClient, TransactionReceipt } from 'viem';
import { vi } from 'vitest';

/**
 * Waits for a transaction's receipt. viem's `waitForTransactionReceipt` ignores a block that is mined while it
 * reads the one before, and this chain mines no further block without a transaction.
 */
export function receiptOf(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hex,
  timeout = 30_000,
): Promise<TransactionReceipt> {
  return vi.waitFor(() => client.getTransactionReceipt({ hash }), { timeout, interval: 20 });
}
