import { Gauge, type Registry } from '@prometheus-io/client';
import { sleep } from '@srr-gateway/common/time';

export interface StoreGaugeReads {
  /** Issuances that are under way, by their status. */
  issuances(): Promise<Record<string, number>>;
  /** How long the oldest work that is due has waited, in seconds. */
  queueAge(): Promise<number>;
}

/** A scraper waits ten seconds, unless told otherwise, and the store is one of many figures. */
const readMs = 2_000;

/** What the store tells. While it is away these are left out: all others are wanted most just then. */
export function registerStoreGauges(registry: Registry, { issuances, queueAge }: StoreGaugeReads): void {
  const registers = [registry];
  let reading: Promise<number | undefined> | undefined;
  /** Asked once by the figures of one scrape. */
  const age = () => {
    reading ??= inTime(queueAge()).finally(() => {
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
      const counts = await inTime(issuances());
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

/** Undefined when the store fails, or takes too long. */
async function inTime<T>(reading: Promise<T>): Promise<T | undefined> {
  const limit = new AbortController();
  const late = sleep(readMs, limit.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([reading.catch(() => undefined), late]).finally(() => limit.abort());
}
