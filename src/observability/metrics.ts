import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { withTimeout } from '@srr-gateway/common/time';
import { subscribe } from './telemetry.ts';

/** Values that are read only at a scrape. */
export interface GaugeReads {
  sockets(): number;
  eventStreams(): number;
  /** Of the database. */
  issuancesUnderWay(): Promise<Record<string, number>>;
  queueAge(): Promise<number>;
}

/** Older events come from replays. Their age says nothing about how fast the gateway delivers. */
const liveSeconds = 300;
/** From a response out of the cache to a slow issuance service. */
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** What other parts record into, and the registry that `/metrics` prints. */
export interface Metrics {
  /** The gateway's metrics and those of its process. */
  registry: Registry;
  answered(route: string, status: number): void;
  operations: Histogram<'kind' | 'outcome'>;
  /** Stops listening to the gateway's telemetry. */
  stop(): void;
}

/**
 * Creates all metrics. Labels have few values and none that a caller wrote: otherwise strangers could fill
 * the memory.
 */
export function createMetrics(gauges: GaugeReads): Metrics {
  const registry = new Registry();
  const registers = [registry];
  registerStoreGauges(registry, gauges);
  readOnDemand(registry, gauges);
  const requests = new Counter({
    name: 'srr_http_requests_total',
    help: 'HTTP requests that were answered, by route and status.',
    labelNames: ['route', 'status'],
    registers,
  });
  const operations = new Histogram({
    name: 'srr_operation_duration_seconds',
    help: 'GraphQL operations that were executed, by kind and outcome.',
    labelNames: ['kind', 'outcome'],
    buckets: seconds,
    registers,
  });
  const upstream = new Histogram({
    name: 'srr_upstream_call_duration_seconds',
    help: 'Calls to what stands behind the gateway, by source, host and outcome.',
    labelNames: ['upstream', 'host', 'outcome'],
    buckets: seconds,
    registers,
  });
  const cache = new Counter({
    name: 'srr_cache_lookups_total',
    help: 'Lookups of what may be at hand, by cache and result.',
    labelNames: ['cache', 'result'],
    registers,
  });
  const delivery = new Histogram({
    name: 'srr_event_delivery_seconds',
    help: 'From a webhook that was stored to its event at a subscriber.',
    buckets: seconds,
    registers,
  });
  const stops = [
    subscribe('upstream', ({ seconds: took, ...labels }) => upstream.observe(labels, took)),
    subscribe('cache', ({ cache: name, hit }) => cache.inc({ cache: name, result: hit ? 'hit' : 'miss' })),
    subscribe('eventDelivered', ({ seconds: took }) => {
      if (took < liveSeconds) delivery.observe(took);
    }),
  ];
  const stop = () => {
    for (const one of stops) one();
  };
  return {
    registry: Registry.merge([processMetrics(), registry]),
    answered: (route, status) => requests.inc({ route, status: String(status) }),
    operations,
    stop,
  };
}

function readOnDemand(registry: Registry, gauges: GaugeReads): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('srr_sse_connections', 'Open event streams.', gauges.eventStreams);
  gauge('srr_websocket_connections', 'Open WebSockets.', gauges.sockets);
  // Older names of process_resident_memory_bytes and process_cpu_seconds_total, kept for one release.
  gauge('srr_memory_resident_bytes', 'Memory of the process.', () => process.memoryUsage.rss());
  new Counter({
    name: 'srr_cpu_seconds_total',
    help: 'Processor time that the process has used.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
}

let ofProcess: Registry | undefined;

/**
 * Memory, processor, event loop and garbage collection. One registry per process, shared by all gateways in
 * it.
 */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** A scraper waits ten seconds by default, and the database is only one of many metrics. */
const readMs = 2_000;

/**
 * Gauges that read the database. While it is down they have no values, except `srr_store_up`, which is 0: a
 * scrape must still get all other metrics, which are needed most then.
 */
function registerStoreGauges(registry: Registry, { issuancesUnderWay, queueAge }: GaugeReads): void {
  const registers = [registry];
  let reading: Promise<number | undefined> | undefined;
  /** One scrape reads it once, though two gauges use it. */
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
      const counts = await inTime(issuancesUnderWay());
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
