import { appendDeliveries } from '../events/append-deliveries.ts';
import { DeliveryGroups } from '../events/delivery-groups.ts';
import { printGatewaySchema, schema } from '../graphql/schema/schema.ts';
import { releaseText } from '../lib/release-text.ts';
import { mcpRoutes } from '../mcp/routes.ts';
import type { Metrics } from '../observability/metrics.ts';
import { restRoutes } from '../rest/routes.ts';
import { healthRoutes, metricsRoute } from '../server/routes/operator.ts';
import { picturesRoute } from '../server/routes/pictures.ts';
import { uploadRoutes } from '../server/routes/uploads.ts';
import { webhookRoutes } from '../server/routes/webhook.ts';
import type { Route } from '../server/server.ts';
import type { createGraphQLServer } from './graphql-server.ts';
import type { AppOptions } from './options.ts';
import type { Parts } from './parts.ts';
import { storeReadiness } from './sources.ts';

/** Wires every route except the GraphQL endpoint. */
export function createRoutes(
  { config, secrets, upstreams, log }: AppOptions,
  { store, clients, services, state }: Parts,
  metrics: Metrics,
  graphql: ReturnType<typeof createGraphQLServer>,
): Route[] {
  const { authenticator, issuances, issuers } = services;
  // Deliveries are stored with their effects on issuances. Then the next read asks for the newest block.
  const deliveries = new DeliveryGroups((issuer, group) =>
    appendDeliveries(store.db, issuer, group, issuances.applyDeliveries).finally(() =>
      clients.subgraph.invalidateHead(),
    ),
  );
  const publicUrl = () => state.url;
  const text = printGatewaySchema();
  const sdl: Route = {
    method: 'GET',
    path: '/schema.graphql',
    handle: releaseText('text/plain; charset=utf-8', text),
  };
  return [
    ...graphql.routes,
    ...(config.introspection ? [sdl] : []),
    ...restRoutes({
      schema,
      operations: graphql.operations,
      run: graphql.runOperation,
      publicHeaders: graphql.publicHeaders,
      publicUrl,
      maxBodyBytes: config.limits.bodyBytes,
      isDescribed: config.introspection,
    }),
    ...webhookRoutes({
      issuers,
      reading: { deliveryTypes: config.webhookTypes, registryAddress: upstreams.registryAddress },
      maxBytes: config.limits.webhookBytes,
      store: (issuer, events) => deliveries.store(issuer, events),
    }),
    ...uploadRoutes(services),
    picturesRoute(services.pictures, config.trustedProxies),
    metricsRoute(metrics, { token: secrets.metricsToken, host: config.host }),
    ...mcpRoutes({
      operations: graphql.operations,
      runOperation: graphql.runOperation,
      schema,
      sdl: config.introspection ? text : undefined,
      authenticator,
      maxAnonymousBytes: config.limits.anonymousBodyBytes,
      publicUrl,
      log,
    }),
    ...healthRoutes({
      ...storeReadiness(store.db),
      worker: async () => !state.stopping && issuances.alive(),
    }),
  ];
}
