import { costBudgets, requestBudgets } from '../access/caller-budget.ts';
import { RateLimiter } from '../access/rate-limiter.ts';
import { issuancesUnderWay, outcomesOverdue, queueAge } from '../issuance/gauges.ts';
import { version } from '../lib/version.ts';
import { createMetrics } from '../observability/metrics.ts';
import { socketOrigins } from '../server/browser-security.ts';
import { streamLimit } from '../server/limits.ts';
import { createHttpServer } from '../server/server.ts';
import { createGraphQLServer } from './graphql-server.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { createRoutes } from './routes.ts';
import { storeReadiness } from './sources.ts';

/** Wires the HTTP server: GraphQL over all transports, and the other routes. Does not listen yet. */
export function createServer(options: AppOptions, parts: Parts, running: AsyncDisposableStack) {
  const { config, log } = options;
  const { store, services } = parts;
  const { authenticator } = services;
  const { trustedProxies } = config;

  const limiter = (limit: number) => {
    const rates = new RateLimiter(store.db, limit);
    const exchange = rates.start(log);
    running.defer(() => exchange.stop());
    return rates;
  };
  const { rateLimit, costBudget } = config;
  const chargeRequest =
    rateLimit > 0 ? requestBudgets(limiter(rateLimit), authenticator, trustedProxies) : undefined;
  const chargeCost = costBudget > 0 ? costBudgets(limiter(costBudget), trustedProxies) : undefined;

  const metrics = createMetrics(version, {
    sockets: () => sockets.clients.size,
    eventStreams: () => connections.countEventStreams(),
    issuancesUnderWay: () => issuancesUnderWay(store.db),
    outcomesOverdue: () => outcomesOverdue(store.db),
    queueAge: () => queueAge(store.db),
    takesWrites: storeReadiness(store.db).store,
    webhookEndpoints: () => services.webhooks.gauges(),
  });
  running.defer(() => metrics.stop());
  const graphql = createGraphQLServer(options, parts, {
    admitStream: streamLimit(config.limits.streams || Number.POSITIVE_INFINITY, trustedProxies),
    chargeCost,
  });
  const { server, connections } = createHttpServer({
    graphql: graphql.handle,
    routes: createRoutes(options, parts, metrics, graphql),
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    chargeRequest,
    log,
  });
  const originRefusal = socketOrigins(config.corsOrigins, config.publicUrl);
  const sockets = graphql.serveSockets(server, { chargeRequest, originRefusal });
  return { server, sockets, connections, showEvent: graphql.showEvent };
}
