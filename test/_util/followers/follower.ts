import { createClient, type RawResult, type Subscribe } from '@srr-gateway/client';
import { WebSocket } from 'ws';

/** The subscription of a follower, and its address. */
export interface Feed {
  url: string;
  token: string;
  query: string;
}

/** The result of one event. */
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
  /** The events in the order of their arrival, over all connections. */
  seen: string[];
  connections: number;
}

/** A client of another library, or a transport of the client package. */
export type Way = Connect | 'sse' | 'websocket';

/** Follows a feed with the client package, over its own connections or those of another library. */
export function follow(way: Way, feed: Feed, start: string, signal: AbortSignal): Follower {
  const follower: Follower = { seen: [], connections: 0 };
  const client = createClient({
    url: `${feed.url}/graphql`,
    token: feed.token,
    transport: way === 'websocket' ? way : 'sse',
    webSocketImpl: WebSocket,
  });
  const subscribe: Subscribe | undefined =
    typeof way === 'string'
      ? undefined
      : ({ variables }, ending) => {
          follower.connections++;
          return resultsOf(way, feed, (variables as { after: string }).after, ending);
        };
  // The package's own connections are the first one, and one after each loss.
  if (!subscribe) follower.connections = 1;
  void client.follow<{ cursor: string; externalId: string }>({
    document: feed.query,
    after: start,
    signal,
    onEvent: ({ externalId }) => follower.seen.push(externalId),
    onRetry: () => {
      if (!subscribe) follower.connections++;
    },
    ...(subscribe && { subscribe }),
  });
  return follower;
}

/** Yields the results that a connection passes to its callback, until it ends. */
async function* resultsOf(
  connect: Connect,
  feed: Feed,
  after: string,
  signal: AbortSignal,
): AsyncGenerator<RawResult> {
  const results: RawResult[] = [];
  let isOpen = true;
  let wake = () => {};
  const next = (result: Result) => {
    results.push(result as RawResult);
    wake();
  };
  connect(feed, after, next, signal)
    .catch(() => {})
    .finally(() => {
      isOpen = false;
      wake();
    });
  while (isOpen || results.length > 0) {
    const result = results.shift();
    // Errors without data end a connection; the next connection yields the affected event.
    if (result?.data) yield result;
    else if (!result)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}
