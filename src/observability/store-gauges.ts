import { Gauge, type Registry } from '@prometheus-io/client';
import { withTimeout } from '@srr-gateway/common/time';
import { webhookEndpointStatuses } from '../model/webhook.ts';

/** Values that are read from the database at a scrape. */
export interface StoreReads {
  issuancesUnderWay(): Promise<Record<string, number>>;
  outcomesOverdue(): Promise<Record<string, number>>;
  queueAge(): Promise<number>;
  takesWrites(): Promise<boolean>;
  webhookEndpoints(): Promise<{ byStatus: Record<string, number>; oldestDueSeconds: number }>;
}

/**
 * Gauges with values from the database. While it is down they are absent, except `srr_store_up`, which is 0. The
 * scrape still gets all other metrics.
 */
export function registerStoreGauges(registers: Registry[], reads: StoreReads): void {
  const age = (name: string, help: string, read: () => Promise<number | undefined>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const seconds = await read();
        if (seconds === undefined) this.remove();
        else this.set(seconds);
      },
    });
  const countsBy = (
    label: string,
    name: string,
    help: string,
    read: () => Promise<Record<string, number> | undefined>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const counts = await read();
        this.reset();
        for (const [one, count] of Object.entries(counts ?? {})) this.set({ [label]: one }, count);
      },
    });
  const queueAge = oncePerScrape(reads.queueAge);
  const takesWrites = oncePerScrape(reads.takesWrites);
  const endpoints = oncePerScrape(reads.webhookEndpoints);
  age(
    'srr_queue_age_seconds',
    'Seconds since the oldest due issuance or creation of a collection became due.',
    queueAge,
  );
  countsBy(
    'status',
    'srr_issuances',
    'Issuances that are under way, by status.',
    oncePerScrape(reads.issuancesUnderWay),
  );
  countsBy(
    'work',
    'srr_outcomes_overdue',
    'Issuances and creations of collections that the service accepted, and of which there has been no news for an hour.',
    oncePerScrape(reads.outcomesOverdue),
  );
  countsBy('status', 'srr_webhook_endpoints', 'Webhook endpoints by status.', async () => {
    const found = await endpoints();
    return (
      found &&
      Object.fromEntries(webhookEndpointStatuses.map((status) => [status, found.byStatus[status] ?? 0]))
    );
  });
  age(
    'srr_webhook_queue_age_seconds',
    'Seconds since the oldest due webhook endpoint became due.',
    async () => (await endpoints())?.oldestDueSeconds,
  );
  new Gauge({
    name: 'srr_store_up',
    help: '1 while the store answers and takes writes, else 0.',
    registers,
    async collect() {
      const [age, writable] = await Promise.all([queueAge(), takesWrites()]);
      this.set(age !== undefined && writable ? 1 : 0);
    },
  });
}

/** Time for the database's values. A scraper waits ten seconds by default, and should get the other metrics. */
const readMs = 2_000;

/**
 * Reads a value once for all gauges of a scrape that use it; undefined when the database fails or takes longer than
 * `readMs`.
 */
function oncePerScrape<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let pending: Promise<T | undefined> | undefined;
  return () => {
    pending ??= withTimeout(read(), readMs)
      .catch(() => undefined)
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };
}
