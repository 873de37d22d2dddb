import { Registry } from '@prometheus-io/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { registerStoreGauges, type StoreReads } from './store-gauges.ts';

/** A scrape of the gauges with these reads. */
function scraper(reads: Partial<StoreReads>): () => Promise<string> {
  const registry = new Registry();
  registerStoreGauges([registry], {
    issuancesUnderWay: async () => ({}),
    outcomesOverdue: async () => ({}),
    queueAge: async () => 0,
    takesWrites: async () => true,
    webhookEndpoints: async () => ({ byStatus: {}, oldestDueSeconds: 0 }),
    ...reads,
  });
  return () => registry.metrics();
}

it('a status that no issuance has any more is absent', async () => {
  let counts: Record<string, number> = { SUBMITTING: 2 };
  const scrape = scraper({ issuancesUnderWay: async () => counts });
  expect(await scrape()).toContain('srr_issuances{status="SUBMITTING"} 2');
  counts = { WAITING_FOR_MINING: 2 };
  const later = await scrape();
  expect(later).toContain('srr_issuances{status="WAITING_FOR_MINING"} 2');
  expect(later).not.toContain('SUBMITTING');
});

it('a database that does not answer counts as down', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const scrape = scraper({ queueAge: () => new Promise(() => {}) });
  const scraped = scrape();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await scraped).toMatch(/^srr_store_up 0$/m);
});
