import type { Presented } from '../access/presented.ts';
import { RateLimiter } from '../access/rate-limiter.ts';
import { WebhookKeys } from '../access/webhook-keys.ts';
import { WebhookSignatures } from '../access/webhook-signatures.ts';
import { appendDelivery } from '../events/append-delivery.ts';
import { contextFactory } from '../graphql/execution/context-factory.ts';
import type { Operation } from '../graphql/execution/operation-metrics.ts';
import { persistedQueries } from '../graphql/execution/persisted-queries.ts';
import { PreparedReads } from '../graphql/execution/prepared/prepared-reads.ts';
import { trustedDocuments } from '../graphql/execution/trusted-documents.ts';
import { schema } from '../graphql/schema/schema.ts';
import { ContentTypes } from '../graphql/transport/content-types.ts';
import { createGraphQLHandler } from '../graphql/transport/graphql-handler.ts';
import { createOperationRunner } from '../graphql/transport/operation-runner.ts';
import { singleConnection } from '../graphql/transport/sse-single-connection.ts';
import { serveWebSocket } from '../graphql/transport/websocket.ts';
import { createGraphQL } from '../graphql/transport/yoga.ts';
import { cors, crossSite } from '../server/cors.ts';
import { drainable } from '../server/drain.ts';
import { createMetrics } from '../server/metrics/metrics.ts';
import { openStreams } from '../server/metrics/open-streams.ts';
import { issuancesUnderWay, queueAge } from '../server/metrics/store-queries.ts';
import { countOperation, rateLimit } from '../server/rate-limit.ts';
import { healthRoutes } from '../server/routes/health.ts';
import { homeRoute } from '../server/routes/home.ts';
import { countRequests, metricsRoute } from '../server/routes/metrics.ts';
import { uploadProxyRoutes } from '../server/routes/upload.ts';
import { webhookRoute } from '../server/routes/webhook.ts';
import { securityHeaders } from '../server/security-headers.ts';
import { sentAhead } from '../server/sent-ahead.ts';
import { createHttpServer } from '../server/server.ts';
import { slowBodies } from '../server/slow-bodies.ts';
import { streamLimit } from '../server/stream-limit.ts';
import { boundUnread } from '../server/unread-answers.ts';
import { isMigrated } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import type { Clients } from './clients.ts';
import type { ConfiguredNames } from './configured-names.ts';
import type { AppOptions } from './options.ts';
import type { Services } from './services.ts';
import { sourceChecks, storeHealth } from './sources.ts';

/** What changes after the server is created: its own address, and whether it is stopping. */
export interface WebState {
  url: string;
  stopping: boolean;
}

/** Creates the HTTP server with GraphQL in all its forms and the other routes. Not listening yet. */
export function createWeb(
  options: AppOptions,
  parts: {
    store: Store;
    clients: Clients;
    services: Services;
    names: ConfiguredNames | undefined;
    state: WebState;
  },
  running: AsyncDisposableStack,
) {
  const { config, secrets, log, showcase } = options;
  const { store, clients, services, names, state } = parts;
  const { subgraph, catalog } = clients;
  const { issuers, authenticator, issuances, uploads, events } = services;
  const rates = new RateLimiter(store.db, config.rateLimit);
  const exchange = rates.start(log);
  running.defer(() => exchange.stop());
  const countedBy = {
    take: (caller: string) => rates.consume(caller),
    issuerOf: (presented: Presented) => authenticator.provenIssuer(presented),
    prove: (presented: Presented) => authenticator.prove(presented),
    trustedProxies: config.trustedProxies,
  };

  const streams = openStreams();
  const meters = createMetrics({
    issuances: () => issuancesUnderWay(store.db),
    queueAge: () => queueAge(store.db),
    sockets: () => sockets.connections(),
    eventStreams: streams.count,
  });
  running.defer(() => meters.stop());
  const operationEnded = ({ seconds, ...labels }: Operation) => meters.operations.observe(labels, seconds);
  const contexts = contextFactory({
    services: {
      issuances,
      events,
      uploads,
      sources: sourceChecks(options, store.db, clients, names),
      get publicUrl() {
        return state.url;
      },
    },
    authenticator,
    catalog,
  });
  const reads = new PreparedReads({
    schema,
    contexts,
    limits: config.queryLimits,
    head: () => subgraph.head()?.hash,
    snapshotKey: () => subgraph.moment(),
    operationEnded,
  });
  const documents = config.trustedDocuments
    ? trustedDocuments(config.trustedDocuments, schema)
    : persistedQueries();
  const contentTypes = new ContentTypes();
  const graphql = createGraphQL({
    contexts,
    reads,
    documents,
    contentTypes,
    log,
    graphiql: config.graphiql,
    showcase,
    maxBodyBytes: config.limits.bodyBytes,
    maxAnonymousBodyBytes: config.limits.anonymousBodyBytes,
    operationEnded,
    traces: config.traces !== undefined,
    timeoutMs: config.timeouts.request,
    introspection: config.introspection,
    queryLimits: config.queryLimits,
  });
  const runner = createOperationRunner(graphql, { log, introspection: config.introspection });
  const handler = createGraphQLHandler({
    graphql,
    reads,
    documents,
    contentTypes,
    authenticator,
    maxBodyBytes: config.limits.anonymousBodyBytes,
    timeoutMs: config.timeouts.request,
  });
  const streamsHeld = streamLimit(config.limits.streams || Number.POSITIVE_INFINITY, config.trustedProxies);
  const sse = singleConnection(runner, {
    log,
    maxOperations: config.limits.socketOperations,
    hold: streamsHeld.hold,
  });
  const server = createHttpServer(
    [
      homeRoute,
      webhookRoute({
        keys: new WebhookKeys(issuers),
        signatures: new WebhookSignatures(issuers),
        reading: { kinds: config.webhookTypes, registryAddress: options.upstreams.registryAddress },
        maxBytes: config.limits.webhookBytes,
        store: (issuer, parsed) =>
          appendDelivery(store.db, issuer, parsed, (...fresh) => issuances.judge(...fresh)).finally(() =>
            subgraph.doubtHead(),
          ),
      }),
      ...uploadProxyRoutes({ authenticator, uploads }),
      metricsRoute(meters, { token: secrets.metricsToken, host: config.host }),
      ...healthRoutes({
        store: async () => (await storeHealth(store.db)).health === 'OK',
        migrations: () => isMigrated(store.db),
        worker: async () => !state.stopping && issuances.alive(),
      }),
    ],
    {
      path: graphql.graphqlEndpoint,
      handle: (req, res, url) => (sse.owns(req, url) ? sse.handle(req, res, url) : handler(req, res)),
    },
    [
      countRequests(meters),
      streams.gate,
      securityHeaders(config.publicUrl),
      cors(config.corsOrigins),
      crossSite(config.corsOrigins),
      ...(config.rateLimit > 0 ? [rateLimit(countedBy)] : []),
      streamsHeld.gate,
      slowBodies(),
      sentAhead(),
    ],
    log,
  );
  const sockets = serveWebSocket(server, graphql.graphqlEndpoint, runner, {
    log,
    maxOperations: config.limits.socketOperations,
    hold: streamsHeld.hold,
    tooOften: config.rateLimit > 0 ? countOperation(countedBy) : () => undefined,
  });
  boundUnread(server);
  const requests = drainable(server);
  return { server, sockets, requests };
}
