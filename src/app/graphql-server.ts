import type { Server } from 'node:http';
import { persistedQueries, trustedDocuments } from '../graphql/execution/documents.ts';
import { PreparedReads } from '../graphql/execution/prepared/prepared-reads.ts';
import { graphiqlAssets } from '../graphql/graphiql/graphiql.ts';
import { schema } from '../graphql/schema/schema.ts';
import { webhookData } from '../graphql/schema/webhook-data.ts';
import { publicHeadersFor } from '../graphql/transport/answer-headers.ts';
import { createGraphQLHandler, type HandlerDeps } from '../graphql/transport/graphql-handler.ts';
import { singleConnection } from '../graphql/transport/sse-single-connection.ts';
import { serveWebSocket, type WebSocketOptions } from '../graphql/transport/websocket.ts';
import { createGraphQL, type GraphQLOptions } from '../graphql/transport/yoga.ts';
import { loadOperations, operationsRunner } from '../operations/operations.ts';
import type { Handler, Route } from '../server/server.ts';
import { createContexts } from './contexts.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';

/** Wires GraphQL over HTTP, SSE and WebSocket. */
export function createGraphQLServer(
  options: AppOptions,
  parts: Parts,
  {
    hold,
    charge,
    operationEnded,
  }: Pick<HandlerDeps, 'hold' | 'charge'> & Pick<GraphQLOptions, 'operationEnded'>,
) {
  const { config, log, showcase } = options;
  const { introspection, limits, queryLimits, timeouts } = config;
  const { subgraph, cdn } = parts.clients;
  const { authenticator } = parts.services;
  const publicHeaders = publicHeadersFor(cdn);
  const contexts = createContexts(options, parts);
  const reads = new PreparedReads({
    schema,
    contexts,
    limits: queryLimits,
    head: () => subgraph.head()?.hash,
    snapshotKey: () => subgraph.snapshotKey(),
    sharedAnswers: parts.answers,
    timeoutMs: timeouts.request,
    operationEnded,
  });
  const operations = loadOperations(schema);
  const ours = [...operations.values()].map(({ name, text }) => [`srr-gateway/${name}`, text] as const);
  const documents = config.trustedDocuments
    ? trustedDocuments(new Map([...ours, ...config.trustedDocuments]), schema)
    : persistedQueries();
  const { graphql, contentTypes, prepare } = createGraphQL({
    contexts,
    reads,
    documents,
    publicHeaders,
    log,
    graphiql: config.graphiql,
    showcase,
    maxBodyBytes: limits.bodyBytes,
    maxAnonymousBodyBytes: limits.anonymousBodyBytes,
    operationEnded,
    charge,
    timeoutMs: timeouts.request,
    introspection,
    queryLimits,
  });
  const handler = createGraphQLHandler({
    graphql,
    reads,
    documents,
    contentTypes,
    publicHeaders,
    authenticator,
    maxBodyBytes: limits.anonymousBodyBytes,
    hold,
    charge,
  });
  const shared = { log, maxOperations: limits.socketOperations, hold };
  const sse = singleConnection(prepare, shared);
  const handle: Handler = (req, res, url) =>
    sse.owns(req, url) ? sse.handle(req, res, url) : handler(req, res);
  const files: Route = { method: 'GET', path: '/graphiql/*', handle: graphiqlAssets };
  return {
    handle,
    showEvent: webhookData(contexts),
    operations,
    publicHeaders,
    runOperation: operationsRunner(operations, prepare),
    routes: config.graphiql ? [files] : [],
    serveSockets: (server: Server, tooOften: WebSocketOptions['tooOften']) =>
      serveWebSocket(server, graphql.graphqlEndpoint, prepare, { ...shared, tooOften }),
  };
}
