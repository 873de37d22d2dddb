import { channel } from 'node:diagnostics_channel';

/** What happens inside that an operator wants to count. Whoever tells it does not know who listens, if anybody. */
export interface Diagnostics {
  /** A call to an upstream ended. */
  upstream: { upstream: string; host: string; outcome: string; seconds: number };
  /** Something was looked for where it may be at hand. */
  cache: { cache: 'answers' | 'ipfs-memory' | 'ipfs-disk'; hit: boolean };
  /** An event reached a subscriber, so long after it came in. */
  eventDelivered: { seconds: number };
}

const channels = {
  upstream: channel('srr-gateway:upstream'),
  cache: channel('srr-gateway:cache'),
  eventDelivered: channel('srr-gateway:event-delivered'),
};

export function publish<Name extends keyof Diagnostics>(name: Name, what: Diagnostics[Name]): void {
  channels[name].publish(what);
}

/** Hears what is told until the returned function is called. */
export function subscribe<Name extends keyof Diagnostics>(
  name: Name,
  listen: (what: Diagnostics[Name]) => void,
): () => void {
  const listener = (what: unknown) => listen(what as Diagnostics[Name]);
  channels[name].subscribe(listener);
  return () => void channels[name].unsubscribe(listener);
}
