import type { Server } from 'node:http';
import { contextFactory } from '../graphql/execution/context.ts';
import { persistedQueries, trustedDocuments } from '../graphql/execution/documents.ts';
import { PreparedReads } from '../graphql/execution/prepared/prepared-reads.ts';
import { graphiqlAssets } from '../graphql/graphiql/graphiql.ts';
import { schema } from '../graphql/schema/schema.ts';
import { webhookData } from '../graphql/schema/webhook-data.ts';
import { publicHeadersFor } from '../graphql/transport/answer-headers.ts';
import { createGraphQLHandler, type HandlerDeps } from '../graphql/transport/graphql-handler.ts';
import { singleConnection } from '../graphql/transport/sse-single-connection.ts';
import { serveWebSocket, type WebSocketOptions } from '../graphql/transport/websocket.ts';
import { createGraphQL } from '../graphql/transport/yoga.ts';
import { loadOperations, operationsRunner } from '../operations/operations.ts';
import type { Handler, Route } from '../server/server.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { sourceChecks } from './sources.ts';

/** Wires GraphQL over HTTP, SSE and WebSocket. */
export function createGraphQLServer(
  options: AppOptions,
  { store, clients, services, names, answers, state }: Parts,
  fromServer: Pick<HandlerDeps, 'admitStream' | 'chargeCost'>,
) {
  const { config, log, showcase } = options;
  const { introspection, graphiql, limits, queryLimits, timeouts } = config;
  const { subgraph, cdn, catalog } = clients;
  const { authenticator, issuances, uploads, events, pictures, webhooks } = services;
  const operations = loadOperations(schema);
  const ownDocuments = [...operations.values()].map(
    ({ name, text }) => [`srr-gateway/${name}`, text] as const,
  );
  const contexts = contextFactory({
    services: {
      issuances,
      events,
      uploads,
      pictures,
      webhooks,
      sources: sourceChecks(options, store.db, clients, names),
      publicUrl: () => state.url,
    },
    authenticator,
    catalog,
  });
  const common = {
    ...fromServer,
    log,
    contexts,
    documents: config.trustedDocuments
      ? trustedDocuments(new Map([...ownDocuments, ...config.trustedDocuments]), schema)
      : persistedQueries(),
    publicHeaders: publicHeadersFor(cdn),
    queryLimits,
    introspection,
    timeoutMs: timeouts.request,
    maxBodyBytes: limits.bodyBytes,
    maxAnonymousBodyBytes: limits.anonymousBodyBytes,
    maxOperations: limits.socketOperations,
  };
  const reads = new PreparedReads({ ...common, subgraph, sharedAnswers: answers });
  const { graphql, prepare } = createGraphQL({ ...common, reads, graphiql, showcase });
  const handler = createGraphQLHandler({ ...common, graphql, reads, authenticator });
  const sse = singleConnection(prepare, common);
  const handle: Handler = (req, res, url) =>
    sse.owns(req, url) ? sse.handle(req, res, url) : handler(req, res);
  const files: Route = { method: 'GET', path: '/graphiql/*', handle: graphiqlAssets };
  return {
    handle,
    showEvent: webhookData(contexts),
    operations,
    publicHeaders: common.publicHeaders,
    runOperation: operationsRunner(operations, prepare),
    routes: graphiql ? [files] : [],
    serveSockets: (server: Server, own: Pick<WebSocketOptions, 'chargeRequest' | 'originRefusal'>) =>
      serveWebSocket(server, prepare, { ...common, ...own }),
  };
}
