import { RateLimiter } from '../access/rate-limiter.ts';
import type { RequestCredentials } from '../access/request-credentials.ts';
import { appendDelivery } from '../events/append-delivery.ts';
import { issuancesUnderWay, queueAge } from '../issuance/gauges.ts';
import { createMetrics } from '../observability/metrics.ts';
import { countOperation, streamLimit } from '../server/caller-limits.ts';
import { healthRoutes, metricsRoute } from '../server/routes/operator.ts';
import { picturesRoute } from '../server/routes/pictures.ts';
import { uploadRoutes } from '../server/routes/uploads.ts';
import { webhookRoutes } from '../server/routes/webhook.ts';
import { createHttpServer } from '../server/server.ts';
import { createGraphQLServer } from './graphql-server.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { storeReadiness } from './sources.ts';

/** Wires the HTTP server: GraphQL over all transports, and the other routes. Does not listen yet. */
export function createServer(options: AppOptions, parts: Parts, running: AsyncDisposableStack) {
  const { config, secrets, log } = options;
  const { store, clients, services, state } = parts;
  const { authenticator, issuances } = services;
  const { trustedProxies } = config;

  const rates = new RateLimiter(store.db, config.rateLimit);
  const exchange = rates.start(log);
  running.defer(() => exchange.stop());
  const rateLimit = {
    take: (caller: string) => rates.consume(caller),
    provenIssuer: (credentials: RequestCredentials) => authenticator.provenIssuer(credentials),
    prove: (credentials: RequestCredentials) => authenticator.prove(credentials),
    trustedProxies,
  };
  const isLimited = config.rateLimit > 0;

  const metrics = createMetrics({
    sockets: () => sockets.clients.size,
    eventStreams: () => connections.countEventStreams(),
    issuancesUnderWay: () => issuancesUnderWay(store.db),
    queueAge: () => queueAge(store.db),
    webhookEndpoints: () => services.webhooks.gauges(),
  });
  running.defer(() => metrics.stop());
  const graphql = createGraphQLServer(options, parts, {
    hold: streamLimit(config.limits.streams || Number.POSITIVE_INFINITY, trustedProxies),
    operationEnded: ({ seconds, ...labels }) => metrics.operations.observe(labels, seconds),
  });
  const { server, connections } = createHttpServer({
    graphql: graphql.handle,
    routes: [
      ...graphql.routes,
      ...webhookRoutes({
        issuers: services.issuers,
        reading: { deliveryTypes: config.webhookTypes, registryAddress: options.upstreams.registryAddress },
        maxBytes: config.limits.webhookBytes,
        store: (issuer, parsed) =>
          appendDelivery(store.db, issuer, parsed, (...args) => issuances.judge(...args)).finally(() =>
            clients.subgraph.invalidateHead(),
          ),
      }),
      ...uploadRoutes(services),
      picturesRoute(services.pictures),
      metricsRoute(metrics, { token: secrets.metricsToken, host: config.host }),
      ...healthRoutes({
        ...storeReadiness(store.db),
        worker: async () => !state.stopping && issuances.alive(),
      }),
    ],
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    rateLimit: isLimited ? rateLimit : undefined,
    answered: metrics.answered,
    log,
  });
  const sockets = graphql.serveSockets(server, isLimited ? countOperation(rateLimit) : () => undefined);
  return { server, sockets, connections, showEvent: graphql.showEvent };
}
