import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { counters } from './counters.ts';
import { registerStoreGauges, type StoreReads } from './store-gauges.ts';
import { subscribe } from './telemetry.ts';

/** Values that are read only at a scrape. */
export interface GaugeReads extends StoreReads {
  sockets(): number;
  eventStreams(): number;
}

/** Buckets in seconds, from a cached response to a slow issuance service. */
const seconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics of this release, which count what `telemetry.ts` publishes until `stop`. */
export function createMetrics(version: string, gauges: GaugeReads) {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'srr_build_info',
    help: 'Always 1. The label is the release.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1);
  registerStoreGauges(registers, gauges);
  registerConnectionGauges(registers, gauges);
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
    help: 'Seconds from storing a delivery to sending its event to a subscriber. Replayed events are not counted.',
    buckets: seconds,
    registers,
  });
  const unsubscribes = [
    subscribe('request', ({ route, status }) => requests.inc({ route, status: String(status) })),
    subscribe('operation', ({ seconds: took, ...labels }) => operations.observe(labels, took)),
    subscribe('upstream', ({ seconds: took, ...labels }) => upstream.observe(labels, took)),
    subscribe('cache', ({ cache: name, hit }) => cache.inc({ cache: name, result: hit ? 'hit' : 'miss' })),
    subscribe('eventDelivered', ({ seconds: took }) => delivery.observe(took)),
    ...countEvents(registers),
  ];
  const stop = () => {
    for (const one of unsubscribes) one();
  };
  return {
    /** The gateway's metrics and those of its process. */
    registry: Registry.merge([processMetrics(), registry]),
    stop,
  };
}

/** Creates all `counters`, and counts their events until the returned functions are called. */
function countEvents(registers: Registry[]): (() => void)[] {
  const events = Object.keys(counters) as (keyof typeof counters)[];
  return events.map((event) => {
    const { name, help, labels } = counters[event];
    const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
    // Begin at 0: an alert cannot compare with a series that does not exist, nor see it rise to 1.
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

function registerConnectionGauges(registers: Registry[], gauges: GaugeReads): void {
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

/** The library's 100 ms would take a tenth of an idle gateway's processor time. */
const utilizationMs = 1_000;

let processRegistry: Registry | undefined;

/**
 * Memory, processor, event loop and garbage collection. One registry per process, shared by all gateways in
 * it.
 */
function processMetrics(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry, eventLoopUtilizationTimeout: utilizationMs });
  }
  return processRegistry;
}
