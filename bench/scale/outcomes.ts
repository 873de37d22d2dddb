import { randomUUID } from 'node:crypto';
import { waitingRecords } from '../deliveries/waiting-records.ts';
import type { Deployment } from './deployment.ts';

/**
 * Deliveries of one event each, round-robin over the issuers: half settle a pending record, half are about
 * unknown ones.
 */
export async function outcomes({ db, delivering }: Deployment, count: number) {
  const each = Math.ceil(count / delivering.length);
  const all = await Promise.all(
    delivering.map(async ({ address, webhookKey }) => {
      const reports = await waitingRecords(db, address, Math.ceil(each / 2));
      return Array.from({ length: each }, (_, i) => ({
        key: webhookKey,
        event: (i % 2 ? reports.pop() : undefined) ?? {
          type: 'issue_failed',
          data: [{ externalId: randomUUID(), message: 'no gas' }],
        },
      }));
    }),
  );
  return Array.from({ length: each }, (_, i) => all.flatMap((some) => some.slice(i, i + 1))).flat();
}
