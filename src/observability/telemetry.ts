import { channel } from 'node:diagnostics_channel';

/** Internal events for metrics, published by `node:diagnostics_channel`. */
export interface Diagnostics {
  /** A call to an upstream ended. */
  upstream: { upstream: string; host: string; outcome: string; seconds: number };
  /**
   * A look-up in a cache. `answers` is the response cache, `shared-answers` the one that replicas share, and
   * `subgraph` the cache of the subgraph's answers.
   */
  cache: { cache: 'answers' | 'shared-answers' | 'subgraph' | 'ipfs-memory' | 'ipfs-disk'; hit: boolean };
  /** An event reached a subscriber `seconds` after the gateway received it. */
  eventDelivered: { seconds: number };
  /** A delivery was sent to a partner's endpoint. */
  webhookDelivery: { outcome: 'ACCEPTED' | 'REFUSED' | 'UNANSWERED' | 'GONE' };
  /** A purge of the CDN ended. */
  cdnPurge: { outcome: 'ok' | 'failed' };
}

const channels = {
  upstream: channel('srr-gateway:upstream'),
  cache: channel('srr-gateway:cache'),
  eventDelivered: channel('srr-gateway:event-delivered'),
  webhookDelivery: channel('srr-gateway:webhook-delivery'),
  cdnPurge: channel('srr-gateway:cdn-purge'),
};

/** Publishes an event to all subscribers. */
export function publish<Name extends keyof Diagnostics>(name: Name, what: Diagnostics[Name]): void {
  channels[name].publish(what);
}

/** Calls `listen` for each event until the returned function is called. */
export function subscribe<Name extends keyof Diagnostics>(
  name: Name,
  listen: (what: Diagnostics[Name]) => void,
): () => void {
  const listener = (what: unknown) => listen(what as Diagnostics[Name]);
  channels[name].subscribe(listener);
  return () => void channels[name].unsubscribe(listener);
}
