import { ApolloClient, ApolloLink, gql, InMemoryCache, Observable } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { subscriptionExchange, Client as UrqlClient } from '@urql/core';
import { EventSource } from 'eventsource';
import { print } from 'graphql';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Connect, Feed, Result, Way } from './follower.ts';

const bearer = ({ token }: Feed) => ({ authorization: `Bearer ${token}` });

// The retries of each client are off, because they would start again from the first cursor.
const sse = (feed: Feed) =>
  createSseClient({ url: `${feed.url}/graphql`, headers: bearer(feed), retryAttempts: 0 });
const sseShared = (feed: Feed) =>
  createSseClient({
    url: `${feed.url}/graphql`,
    headers: bearer(feed),
    retryAttempts: 0,
    singleConnection: true,
  });
const ws = (feed: Feed) =>
  createWsClient({
    url: `${feed.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: bearer(feed),
    retryAttempts: 0,
  });

const graphqlSse =
  (create: (feed: Feed) => ReturnType<typeof sse> | ReturnType<typeof sseShared>): Connect =>
  (feed, after, next, signal) =>
    new Promise((ended) => {
      const client = create(feed);
      signal.addEventListener('abort', () => client.dispose(), { once: true });
      client.subscribe<NonNullable<Result['data']>>(
        { query: feed.query, variables: { after } },
        { next, error: () => ended(), complete: ended },
      );
    });

const graphqlWs: Connect = (feed, after, next, signal) =>
  new Promise((ended) => {
    const client = ws(feed);
    signal.addEventListener('abort', () => void client.dispose(), { once: true });
    client.subscribe<NonNullable<Result['data']>>(
      { query: feed.query, variables: { after } },
      { next, error: () => ended(), complete: ended },
    );
  });

/** A client without GraphQL that reconnects by itself, with Last-Event-ID, so it is connected only once. */
const eventSource: Connect = (feed, after, next, signal) =>
  new Promise((ended) => {
    const address = new URL('/graphql', feed.url);
    address.searchParams.set('query', feed.query);
    address.searchParams.set('variables', JSON.stringify({ after }));
    const source = new EventSource(address, {
      fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...bearer(feed) } }),
    });
    signal.addEventListener('abort', () => source.close(), { once: true });
    source.addEventListener('next', ({ data }) => next(JSON.parse(data) as Result));
    source.addEventListener('error', () => {
      if (source.readyState === source.CLOSED) ended();
    });
  });

const urql: Connect = (feed, after, next, signal) =>
  new Promise((ended) => {
    const transport = sse(feed);
    signal.addEventListener('abort', () => transport.dispose(), { once: true });
    const client = new UrqlClient({
      url: `${feed.url}/graphql`,
      preferGetMethod: false,
      exchanges: [
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: transport.subscribe(
                { query, variables: variables as Record<string, unknown> },
                sink as never,
              ),
            }),
          }),
        }),
      ],
    });
    client.subscription<NonNullable<Result['data']>>(feed.query, { after }).subscribe(({ data, error }) => {
      if (error) ended();
      else next({ data });
    });
  });

const apolloWs: Connect = (feed, after, next, signal) => {
  const transport = ws(feed);
  signal.addEventListener('abort', () => void transport.dispose(), { once: true });
  return apollo(new GraphQLWsLink(transport), feed, after, next);
};

const apolloSse: Connect = (feed, after, next, signal) => {
  const transport = sse(feed);
  signal.addEventListener('abort', () => transport.dispose(), { once: true });
  const link = new ApolloLink(
    (operation) =>
      new Observable((sink) =>
        transport.subscribe({ ...operation, query: print(operation.query) }, sink as never),
      ),
  );
  return apollo(link, feed, after, next);
};

const apollo = (link: ApolloLink, feed: Feed, after: string, next: (result: Result) => void) =>
  new Promise<void>((ended) => {
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    client
      .subscribe<NonNullable<Result['data']>>({
        query: gql(feed.query),
        variables: { after },
        fetchPolicy: 'no-cache',
      })
      .subscribe({
        next: ({ data, error }) => {
          if (error) ended();
          else next({ data });
        },
        error: () => ended(),
        complete: ended,
      });
  });

export const clients: Record<string, Way> = {
  'the client package, SSE': 'sse',
  'the client package, WebSocket': 'websocket',
  'graphql-sse': graphqlSse(sse),
  'graphql-ws': graphqlWs,
  EventSource: eventSource,
  urql,
  'Apollo Client, SSE': apolloSse,
  'Apollo Client, WebSocket': apolloWs,
};

/** Clients whose operations share a stream, which needs all requests at the same replica. */
export const clientsOfOneReplica: Record<string, Way> = {
  ...clients,
  'graphql-sse, single connection': graphqlSse(sseShared),
};
