import { Gauge, type Registry } from '@prometheus-io/client';
import { withTimeout } from '@srr-gateway/common/time';
import { issuancesUnderWay, queueAge } from '../../issuance/gauges.ts';
import type { Db } from '../../store/store.ts';

/** A scraper waits ten seconds by default, and the database is only one of many metrics. */
const readMs = 2_000;

/**
 * Gauges that read the database. While it is down they have no values, except `srr_store_up`, which is 0: a
 * scrape must still get all other metrics, which are needed most then.
 */
export function registerStoreGauges(registry: Registry, db: Db): void {
  const registers = [registry];
  let reading: Promise<number | undefined> | undefined;
  /** One scrape reads it once, though two gauges use it. */
  const age = () => {
    reading ??= inTime(queueAge(db)).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  new Gauge({
    name: 'srr_queue_age_seconds',
    help: 'How long the oldest due work has waited.',
    registers,
    async collect() {
      const seconds = await age();
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
  new Gauge({
    name: 'srr_issuances',
    help: 'Issuances that are under way, by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      const counts = await inTime(issuancesUnderWay(db));
      this.reset();
      for (const [status, count] of Object.entries(counts ?? {})) this.set({ status }, count);
    },
  });
  new Gauge({
    name: 'srr_store_up',
    help: '1 while the store answers, else 0.',
    registers,
    async collect() {
      this.set((await age()) === undefined ? 0 : 1);
    },
  });
}

/** Undefined when the database fails or takes longer than `readMs`. */
const inTime = <T>(reading: Promise<T>): Promise<T | undefined> =>
  withTimeout(reading, readMs).catch(() => undefined);
