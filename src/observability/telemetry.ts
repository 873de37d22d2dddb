import { channel } from 'node:diagnostics_channel';

/** What happens inside that an operator wants to count. Whoever tells it does not know who listens, if anybody. */
export interface Happenings {
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

export function tell<Name extends keyof Happenings>(name: Name, what: Happenings[Name]): void {
  channels[name].publish(what);
}

/** Hears what is told until the returned function is called. */
export function hear<Name extends keyof Happenings>(
  name: Name,
  listen: (what: Happenings[Name]) => void,
): () => void {
  const listener = (what: unknown) => listen(what as Happenings[Name]);
  channels[name].subscribe(listener);
  return () => void channels[name].unsubscribe(listener);
}
