import { type Channel, channel } from 'node:diagnostics_channel';
import type { counters } from './counters.ts';

type LabelsOf<Labels extends Record<string, readonly string[]>> = {
  [Name in keyof Labels]: Labels[Name][number];
};
type CounterEvents = { [Name in keyof typeof counters]: LabelsOf<(typeof counters)[Name]['labels']> };

/** Internal events for metrics, published by `node:diagnostics_channel`. */
export interface Diagnostics extends CounterEvents {
  /** The server answered an HTTP request. `route` is one of a short list: callers choose paths. */
  request: { route: string; status: number };
  /** A GraphQL operation was executed. A subscription counts by how it started. */
  operation: { kind: 'query' | 'mutation' | 'subscription'; outcome: 'ok' | 'errors'; seconds: number };
  /** A call to an upstream ended. */
  upstream: { upstream: string; host: string; outcome: string; seconds: number };
  /**
   * A look-up in a cache. `answers` is the response cache, `shared-answers` the one that replicas share, and
   * `subgraph` the cache of the subgraph's answers.
   */
  cache: { cache: 'answers' | 'shared-answers' | 'subgraph' | 'ipfs-memory' | 'ipfs-disk'; hit: boolean };
  /** An event reached a live subscriber `seconds` after the gateway received it. */
  eventDelivered: { seconds: number };
}

const channels: Partial<Record<keyof Diagnostics, Channel>> = {};

function channelOf(name: keyof Diagnostics): Channel {
  channels[name] ??= channel(`srr-gateway:${name}`);
  return channels[name];
}

/** Publishes an event to all subscribers. */
export function publish<Name extends keyof Diagnostics>(name: Name, event: Diagnostics[Name]): void {
  channelOf(name).publish(event);
}

/** Calls `listen` for each event until the returned function is called. */
export function subscribe<Name extends keyof Diagnostics>(
  name: Name,
  listen: (event: Diagnostics[Name]) => void,
): () => void {
  const listener = (event: unknown) => listen(event as Diagnostics[Name]);
  channelOf(name).subscribe(listener);
  return () => void channelOf(name).unsubscribe(listener);
}
