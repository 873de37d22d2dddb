import { setTimeout as sleep } from 'node:timers/promises';

/** What a follower asks for, and how. */
export interface Feed {
  url: string;
  token: string;
  query: string;
}

/** What every client gets for one event. */
export interface Result {
  data?: { events: { cursor: string; externalId: string } } | null | undefined;
  errors?: readonly unknown[] | undefined;
}

/** One connection of a client: subscribes after a cursor and resolves when the subscription has ended. */
export type Connect = (
  feed: Feed,
  after: string,
  next: (result: Result) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface Follower {
  /** In the order of their coming, over all connections. */
  seen: string[];
  connections: number;
}

/** A client that comes back with the cursor of what it saw last, whatever ended its connection. */
export function follow(connect: Connect, feed: Feed, start: string, signal: AbortSignal): Follower {
  const follower: Follower = { seen: [], connections: 0 };
  let after = start;
  const next = ({ data }: Result) => {
    if (!data) return;
    after = data.events.cursor;
    follower.seen.push(data.events.externalId);
  };
  (async () => {
    while (!signal.aborted) {
      follower.connections++;
      await connect(feed, after, next, signal).catch(() => {});
      // A gateway that is starting is not to be flooded.
      await sleep(100, undefined, { signal }).catch(() => {});
    }
  })();
  return follower;
}
