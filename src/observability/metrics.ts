import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { withTimeout } from '@srr-gateway/common/time';
import { webhookEndpointStatuses } from '../model/webhook.ts';
import { counters, subscribe } from './telemetry.ts';

/** Values that are read only at a scrape. */
export interface GaugeReads {
  sockets(): number;
  eventStreams(): number;
  /** Values from the database. */
  issuancesUnderWay(): Promise<Record<string, number>>;
  outcomesOverdue(): Promise<Record<string, number>>;
  queueAge(): Promise<number>;
  webhookEndpoints(): Promise<{ byStatus: Record<string, number>; oldestDueSeconds: number }>;
}

/** Events above this age come from replays, and would distort the histogram. */
const liveSeconds = 300;
/** Buckets in seconds, from a cached response to a slow issuance service. */
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics of this release: the registry of `/metrics`, and those that other code records. */
export function createMetrics(version: string, gauges: GaugeReads) {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'srr_build_info',
    help: 'Always 1. The label is the release.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
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
    help: 'Calls to upstreams, by upstream, host and outcome.',
    labelNames: ['upstream', 'host', 'outcome'],
    buckets: seconds,
    registers,
  });
  const cache = new Counter({
    name: 'srr_cache_lookups_total',
    help: 'Cache look-ups, by cache and result.',
    labelNames: ['cache', 'result'],
    registers,
  });
  const delivery = new Histogram({
    name: 'srr_event_delivery_seconds',
    help: 'Seconds from the storing of a delivery to its event at a subscriber.',
    buckets: seconds,
    registers,
  });
  const stops = [
    subscribe('upstream', ({ seconds: took, ...labels }) => upstream.observe(labels, took)),
    subscribe('cache', ({ cache: name, hit }) => cache.inc({ cache: name, result: hit ? 'hit' : 'miss' })),
    subscribe('eventDelivered', ({ seconds: took }) => {
      if (took < liveSeconds) delivery.observe(took);
    }),
    ...countEvents(registers),
  ];
  /** Stops listening to the gateway's telemetry. */
  const stop = () => {
    for (const one of stops) one();
  };
  return {
    /** The gateway's metrics and those of its process. */
    registry: Registry.merge([processMetrics(), registry]),
    answered: (route: string, status: number) => requests.inc({ route, status: String(status) }),
    operations,
    stop,
  };
}

/** Creates all `counters`, and counts their events until the returned functions are called. */
function countEvents(registers: Registry[]): (() => void)[] {
  const events = Object.keys(counters) as (keyof typeof counters)[];
  return events.map((event) => {
    const { name, help, labels } = counters[event];
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    // At 0 from the start: an alert cannot compare with a series that is not there, nor see it rise to 1.
    for (const series of combinations(labels)) counter.inc(series, 0);
    return subscribe(event, (values) => counter.inc(values));
  });
}

/** Every combination of the labels' values. */
const combinations = (labels: Record<string, readonly string[]>): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [label, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );

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

/**
 * Time for the database's values. A scraper waits ten seconds by default, and should get the other metrics.
 */
const readMs = 2_000;

/**
 * Gauges with values from the database. While it is down they have none, except `srr_store_up`, which is 0.
 * The scrape still gets all other metrics.
 */
function registerStoreGauges(
  registry: Registry,
  { issuancesUnderWay, outcomesOverdue, queueAge, webhookEndpoints }: GaugeReads,
): void {
  const registers = [registry];
  const age = oncePerScrape(queueAge);
  new Gauge({
    name: 'srr_queue_age_seconds',
    help: 'Seconds since the oldest due issuance or creation of a collection became due.',
    registers,
    async collect() {
      const seconds = await age();
      if (seconds === undefined) this.remove();
      else this.set(seconds);
    },
  });
  const countsBy = (label: string, name: string, help: string, read: () => Promise<Record<string, number>>) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        const counts = await inTime(read());
        this.reset();
        for (const [one, count] of Object.entries(counts ?? {})) this.set({ [label]: one }, count);
      },
    });
  countsBy('status', 'srr_issuances', 'Issuances that are under way, by status.', issuancesUnderWay);
  countsBy(
    'work',
    'srr_outcomes_overdue',
    'Issuances and creations of collections that the service accepted, and of which nothing was heard for an hour.',
    outcomesOverdue,
  );
  registerEndpointGauges(registers, webhookEndpoints);
  new Gauge({
    name: 'srr_store_up',
    help: '1 while the store answers, else 0.',
    registers,
    async collect() {
      this.set((await age()) === undefined ? 0 : 1);
    },
  });
}

/** Reads a value once for all gauges of a scrape that show it. */
function oncePerScrape<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  let reading: Promise<T | undefined> | undefined;
  return () => {
    reading ??= inTime(read()).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function registerEndpointGauges(registers: Registry[], readAll: GaugeReads['webhookEndpoints']): void {
  const read = oncePerScrape(readAll);
  new Gauge({
    name: 'srr_webhook_endpoints',
    help: 'Webhook endpoints by status.',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await read();
      this.reset();
      if (found)
        for (const status of webhookEndpointStatuses) this.set({ status }, found.byStatus[status] ?? 0);
    },
  });
  new Gauge({
    name: 'srr_webhook_queue_age_seconds',
    help: 'How long the webhook endpoint that is due longest has waited.',
    registers,
    async collect() {
      const found = await read();
      if (found) this.set(found.oldestDueSeconds);
      else this.remove();
    },
  });
}

/** The value, or undefined when the database fails or takes longer than `readMs`. */
const inTime = <T>(reading: Promise<T>): Promise<T | undefined> =>
  withTimeout(reading, readMs).catch(() => undefined);
