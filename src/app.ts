import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Authenticator, type HeaderSource } from './access/authenticate.ts';
import { FlowKeys } from './access/flow-keys.ts';
import { Issuers } from './access/issuers.ts';
import { RateWindows } from './access/rate-windows.ts';
import { Sealer } from './access/sealer.ts';
import { localSealingKey } from './access/sealing-key.ts';
import { WebhookKeys } from './access/webhook-keys.ts';
import { WebhookSignatures } from './access/webhook-signatures.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createLegacyDocuments } from './catalog/legacy-documents.ts';
import { createCommerce } from './commerce/commerce.ts';
import { createLegacyMetadata } from './commerce/legacy-metadata.ts';
import { createStorage } from './commerce/storage.ts';
import type { Config, Issuer, Secrets, Upstreams } from './config/config.ts';
import { EventLog } from './events/event-log.ts';
import { storeEvents } from './events/receive.ts';
import { keepEventLog } from './events/retention.ts';
import type { Showcase } from './graphql/server/graphiql.ts';
import { createListener } from './graphql/server/listener.ts';
import { detachedOperations } from './graphql/server/operations.ts';
import { beginOn } from './graphql/server/shared-stream-operations.ts';
import { serveWebSocket } from './graphql/server/websocket.ts';
import { createGraphQL } from './graphql/server/yoga.ts';
import type { SourceChecks } from './graphql/source-checks.ts';
import { cors, crossSite } from './http/cors.ts';
import { drainable } from './http/drain.ts';
import { securityHeaders, slowBodies } from './http/gates.ts';
import { healthRoutes } from './http/health.ts';
import { homeRoute } from './http/home.ts';
import { createMeters } from './http/metrics/meters.ts';
import { openStreams } from './http/metrics/open-streams.ts';
import { issuancesUnderWay, queueAge } from './http/metrics/readings.ts';
import { metricsRoute, requestMeter } from './http/metrics/route.ts';
import { countOperation, rateLimit } from './http/rate-limit.ts';
import { createHttpServer } from './http/server.ts';
import { singleConnection } from './http/single-connection.ts';
import { streamLimit } from './http/stream-limit.ts';
import { uploadProxyRoutes } from './http/upload-proxy.ts';
import { webhookRoute } from './http/webhook.ts';
import { createIpfs } from './ipfs/ipfs.ts';
import { Issuances } from './issuance/issuances.ts';
import { allOrNothing } from './lib/all-or-nothing.ts';
import type { Database } from './lib/database/database.ts';
import type { Logger } from './lib/log.ts';
import { listenError } from './lib/start-error.ts';
import { isMigrated } from './store/migrate.ts';
import { openStore } from './store/store.ts';
import { createSubgraph } from './subgraph/subgraph.ts';
import { Uploads } from './uploads/uploads.ts';

export interface AppOptions {
  config: Config;
  secrets: Secrets;
  /** Resolved: the configured ones, or the sandbox's. */
  upstreams: Upstreams;
  database: Database;
  log: Logger;
  /** Fills GraphiQL's tabs so that they run as they are. */
  showcase?: Showcase | undefined;
}

export interface App {
  /** Where it listens, as clients see it. */
  url: string;
  /** From the next request on. */
  replaceIssuers(issuers: Issuer[]): void;
  /** Takes nothing new, lets running work end within its limit, and hands the rest on. */
  stop(): Promise<void>;
}

/** The only place that wires: configuration → store → clients → services → server. */
export async function startApp(options: AppOptions): Promise<App> {
  return allOrNothing((running) => compose(options, running));
}

/** What was deferred last is stopped first. */
async function compose(options: AppOptions, running: AsyncDisposableStack): Promise<App> {
  const { config, secrets, upstreams, database, log } = options;
  const { timeouts } = config;
  if (config.traces) {
    // Loaded by who needs it: as much code again as some of the gateway's own floors.
    const { exportTraces } = await import('./lib/tracing/export.ts');
    const traces = exportTraces({ ...config.traces, headers: secrets.traceHeaders, log });
    // First, so that it ends last: a stop has spans too.
    running.defer(() => traces.stop());
  }
  const store = await openStore(database, log);
  running.defer(() => store.close());

  const commerce = createCommerce({
    baseUrl: upstreams.commerceUrl,
    log,
    timeouts: { read: timeouts.commerce, issue: timeouts.issue },
  });
  const legacy = createLegacyMetadata({
    baseUrl: upstreams.commerceUrl,
    vendorPath: config.vendor.path,
    timeoutMs: timeouts.commerce,
    log,
  });
  const storage = createStorage();
  const subgraph = createSubgraph({
    endpoints: upstreams.subgraphUrls,
    apiKey: secrets.subgraphApiKey,
    log,
    timeoutMs: timeouts.subgraph,
    cache: true,
  });
  const { directory, maxBytes, memoryBytes } = config.ipfsCache;
  const ipfs = createIpfs({
    gateways: upstreams.ipfsGateways,
    log,
    timeoutMs: timeouts.ipfs,
    memoryBytes,
    disk: directory === undefined ? undefined : { directory, maxBytes },
  });
  running.defer(async () => {
    await Promise.all([commerce, legacy, storage, subgraph, ipfs].map((client) => client.close()));
  });
  const catalog = createCatalog({
    subgraph,
    ipfs,
    legacy: createLegacyDocuments(legacy),
    registryAddress: upstreams.registryAddress,
    indexWaitMs: timeouts.indexWait,
  });

  const sealer = new Sealer(...(secrets.sealingKeys ?? ([localSealingKey(config.dataDir)] as const)));
  const issuers = new Issuers(secrets.issuers);
  const authenticator = new Authenticator({
    issuers,
    db: store.db,
    commerce,
    passthrough: config.passthrough,
    jwt: config.jwt,
  });
  const issuances = new Issuances({
    db: store.db,
    jobs: store.jobs,
    signals: store.signals,
    commerce,
    names: { baseUrl: upstreams.commerceUrl, vendorPrefix: config.vendor.prefix },
    log,
    mintedOf: (tokens, signal) => catalog.mintedOf(tokens, signal),
    mintedSince: (issuer, since, signal) => catalog.mintedSince(issuer, since, signal),
    keys: new FlowKeys(issuers, sealer),
    alone: database.kind === 'pglite',
    timeouts,
    limits: config.limits,
  });
  const uploads = new Uploads({ db: store.db, commerce, storage });
  const events = new EventLog({
    db: store.db,
    signals: store.signals,
    log,
    maxLag: config.limits.subscriberLag,
  });

  const sources: SourceChecks = [
    { kind: 'COMMERCE', name: host(upstreams.commerceUrl), check: (signal) => commerce.check(signal) },
    {
      kind: 'SUBGRAPH',
      name: host(upstreams.subgraphUrls[0] as string),
      check: (signal) => subgraph.check(signal),
    },
    { kind: 'IPFS', name: host(upstreams.ipfsGateways[0] as string), check: (signal) => ipfs.check(signal) },
    { kind: 'STORE', name: database.kind, check: async () => storeHealth() },
  ];
  async function storeHealth() {
    await sql`select 1`.execute(store.db);
    return { health: 'OK' as const };
  }

  const rates = new RateWindows(store.db, config.rateLimit);
  const exchange = rates.start(log);
  running.defer(() => exchange.stop());
  const countedBy = {
    take: (caller: string) => rates.take(caller),
    issuerOf: (headers: HeaderSource) => authenticator.provenIssuer(headers),
    prove: (headers: HeaderSource) => authenticator.prove(headers),
    trustedProxies: config.trustedProxies,
  };

  let url = config.publicUrl ?? '';
  let stopping = false;
  const streams = openStreams();
  const meters = createMeters({
    issuances: () => issuancesUnderWay(store.db),
    queueAge: () => queueAge(store.db),
    sockets: () => sockets.connections(),
    eventStreams: streams.count,
  });
  running.defer(() => meters.stop());
  const graphql = createGraphQL({
    services: {
      issuances,
      events,
      uploads,
      sources,
      get publicUrl() {
        return url;
      },
    },
    authenticator,
    catalog,
    log,
    graphiql: config.graphiql,
    showcase: options.showcase,
    maxBodyBytes: config.limits.bodyBytes,
    maxAnonymousBodyBytes: config.limits.anonymousBodyBytes,
    operationEnded: ({ seconds, ...labels }) => meters.operations.observe(labels, seconds),
    traces: config.traces !== undefined,
    timeoutMs: timeouts.request,
    introspection: config.introspection,
    queryLimits: config.queryLimits,
    trustedDocuments: config.trustedDocuments,
  });
  const operations = detachedOperations(graphql, { log, introspection: config.introspection });
  const listener = createListener(graphql, () => subgraph.head()?.hash);
  const shared = singleConnection({
    begin: beginOn(operations),
    log,
    maxOperations: config.limits.socketOperations,
  });
  const streamsHeld = streamLimit(config.limits.streams || Number.POSITIVE_INFINITY, config.trustedProxies);
  const server = createHttpServer(
    [
      homeRoute,
      webhookRoute({
        keys: new WebhookKeys(issuers),
        signatures: new WebhookSignatures(issuers),
        kinds: config.webhookTypes,
        maxBytes: config.limits.webhookBytes,
        store: (issuer, parsed) =>
          storeEvents(store.db, issuer, parsed, (...stored) => issuances.settle(...stored)).finally(() =>
            subgraph.doubtHead(),
          ),
      }),
      ...uploadProxyRoutes({ authenticator, uploads }),
      metricsRoute(meters, { token: secrets.metricsToken, host: config.host }),
      ...healthRoutes({
        store: async () => (await storeHealth()).health === 'OK',
        migrations: () => isMigrated(store.db),
        worker: async () => !stopping && issuances.alive(),
      }),
    ],
    {
      path: graphql.graphqlEndpoint,
      handle: (req, res, url) => (shared.owns(req, url) ? shared.handle(req, res, url) : listener(req, res)),
    },
    [
      requestMeter(meters),
      streams.gate,
      securityHeaders(config.publicUrl),
      cors(config.corsOrigins),
      crossSite(config.corsOrigins),
      ...(config.rateLimit > 0 ? [rateLimit(countedBy)] : []),
      streamsHeld.gate,
      slowBodies(),
    ],
    log,
  );
  const sockets = serveWebSocket(server, graphql.graphqlEndpoint, operations, {
    log,
    maxOperations: config.limits.socketOperations,
    hold: streamsHeld.hold,
    tooOften: config.rateLimit > 0 ? countOperation(countedBy) : () => undefined,
  });
  const requests = drainable(server);
  server.listen(config.port, config.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw listenError(error, config.host, config.port);
  });
  // Side by side, so that a stop takes as long as the slowest of them and no longer.
  running.defer(async () => {
    stopping = true;
    await Promise.all([issuances.stop(), sockets.close(), requests.drain(timeouts.drain)]);
  });
  url ||= addressOf(server, config.host);
  await issuances.start();
  const retention = keepEventLog({ db: store.db, log, keepMs: timeouts.keepEvents });
  running.defer(() => retention.stop());
  return {
    url,
    replaceIssuers: (all) => issuers.replace(all),
    stop: () => running.disposeAsync(),
  };
}

const host = (url: string) => new URL(url).host;

function addressOf(server: Server, configured: string): string {
  const { port } = server.address() as AddressInfo;
  // An address that listens everywhere is no address to call.
  const name = configured === '0.0.0.0' || configured === '::' ? 'localhost' : configured;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
