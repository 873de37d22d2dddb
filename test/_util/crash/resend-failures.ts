import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import type { ListedDelivery } from '@srr-gateway/sandbox/testing/control';

/**
 * Makes the service resend the webhooks that it has given up on, as its operator would. Only a webhook
 * reports that mining failed, because the subgraph shows only records that exist.
 */
export async function resendFailures({ commerceUrl }: SandboxInfo, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(`${commerceUrl}/sandbox/deliveries?status=failed&limit=1000`);
    const { deliveries } = (await response.json()) as { deliveries: ListedDelivery[] };
    for (const { id, type } of deliveries)
      if (type === 'issue_failed')
        await fetch(`${commerceUrl}/sandbox/deliveries/${id}/again`, { method: 'POST' });
    await sleep(1_000, undefined, { signal }).catch(() => {});
  }
}
