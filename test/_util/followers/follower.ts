import { createClient, type RawResult, type Subscribe } from '@srr-gateway/client';
import { WebSocket } from 'ws';

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

/** A client of another library, or the client package's own way. */
export type Way = Connect | 'sse' | 'websocket';

/** Follows by the client package, over connections of its own or of another library. */
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
  // The package's own connections are the first one and each that comes after a loss.
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

/** What a connection brings to its callback, one after the other, until it ends. */
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
    // Errors without data end a connection: what they were about comes over the next one.
    if (result?.data) yield result;
    else if (!result)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
}
