import { join } from 'node:path';
import { parseAddress } from '@srr-gateway/common/address';
import type { Env } from './env.ts';
import type { Issuer } from './issuers.ts';
import type { Config, JwtConfig, Secrets, TraceConfig } from './types.ts';
import type { Network } from './values.ts';

/** The contents of files that variables name. */
export interface Files {
  issuers: Issuer[] | undefined;
  trustedDocuments: ReadonlyMap<string, string> | undefined;
}

/** Converts the settings to the units that the code uses, and separates the secrets. */
export function fromEnv(env: Env, files: Files): { config: Config; secrets: Secrets } {
  // Whole, and at least 1: `AbortSignal.timeout` throws for a fraction, and 16.1 * 1000 has one.
  const ms = (seconds: number) => Math.ceil(seconds * 1000);
  // With an external database there may be no writable directory.
  const ipfsDirectory = env.IPFS_CACHE_DIR ?? (env.DATABASE_URL ? undefined : join(env.DATA_DIR, 'ipfs'));
  const registryAddress = parseAddress(env.REGISTRY_ADDRESS?.toLowerCase() ?? '');
  const { COMMERCE_URL: commerceUrl, SUBGRAPH_URL: subgraphUrls, IPFS_GATEWAYS: ipfsGateways } = env;
  return {
    config: {
      host: env.HOST,
      port: env.PORT,
      publicUrl: env.PUBLIC_URL,
      dataDir: env.DATA_DIR,
      databasePool: env.DATABASE_POOL,
      upstreams:
        commerceUrl && subgraphUrls && ipfsGateways
          ? { commerceUrl, subgraphUrls, ipfsGateways, registryAddress }
          : undefined,
      vendor: { path: env.VENDOR_PATH, prefix: env.VENDOR_PREFIX },
      passthrough: env.PASSTHROUGH,
      jwt: jwtConfig(env),
      issuersFile: env.ISSUERS_FILE,
      webhookTypes: env.WEBHOOK_TYPES,
      logLevel: env.LOG_LEVEL,
      traces: traceConfig(env),
      graphiql: env.GRAPHIQL,
      corsOrigins: env.CORS_ORIGINS,
      rateLimit: env.RATE_LIMIT,
      costBudget: env.COST_LIMIT,
      trustedProxies: env.TRUSTED_PROXIES,
      introspection: env.INTROSPECTION,
      trustedDocuments: files.trustedDocuments,
      queryLimits: {
        tokens: env.MAX_TOKENS,
        depth: env.MAX_DEPTH,
        aliases: env.MAX_ALIASES,
        directives: env.MAX_DIRECTIVES,
        fragments: env.MAX_FRAGMENTS,
        rootFields: env.MAX_ROOT_FIELDS,
        cost: env.MAX_COST,
        batch: env.MAX_BATCH,
      },
      timeouts: {
        commerce: ms(env.COMMERCE_TIMEOUT),
        issue: ms(env.ISSUE_TIMEOUT),
        subgraph: ms(env.SUBGRAPH_TIMEOUT),
        ipfs: ms(env.IPFS_TIMEOUT),
        filesReady: ms(env.FILES_READY_TIMEOUT),
        reconcileAfter: ms(env.RECONCILE_AFTER),
        indexWait: ms(env.INDEX_WAIT),
        drain: ms(env.DRAIN_TIMEOUT),
        request: ms(env.REQUEST_TIMEOUT),
        reorgWatch: ms(env.REORG_WATCH),
        failureWatch: ms(env.FAILURE_WATCH),
        keepDetails: env.KEEP_DETAILS_DAYS * 86_400_000,
        keepEvents: env.KEEP_EVENTS_DAYS * 86_400_000,
      },
      ipfsCache: {
        memoryBytes: env.IPFS_MEMORY_BYTES,
        maxBytes: env.IPFS_CACHE_BYTES,
        directory: ipfsDirectory,
      },
      pictureCache: {
        maxBytes: env.PICTURE_CACHE_BYTES,
        directory: ipfsDirectory && join(ipfsDirectory, 'pictures'),
      },
      webhooks: {
        // Receivers on the same machine are what one tries the sandbox with.
        privateNetworks: env.ALLOW_PRIVATE_WEBHOOKS ?? (commerceUrl ? [] : loopback),
        timeoutMs: ms(env.WEBHOOK_TIMEOUT),
        retryFirstMs: ms(env.WEBHOOK_RETRY_FIRST),
        retryForMs: ms(env.WEBHOOK_RETRY_FOR),
        holdMs: ms(env.WEBHOOK_HOLD),
        failingAfterMs: ms(env.WEBHOOK_FAILING_AFTER),
        disableAfterMs: ms(env.WEBHOOK_DISABLE_AFTER),
        ratePerSecond: env.WEBHOOK_RATE,
        maxEndpoints: env.MAX_WEBHOOK_ENDPOINTS,
        keepMs: env.KEEP_DELIVERIES_DAYS * 86_400_000,
      },
      limits: {
        webhookBytes: env.WEBHOOK_MAX_BYTES,
        bodyBytes: env.BODY_MAX_BYTES,
        anonymousBodyBytes: env.ANONYMOUS_BODY_MAX_BYTES,
        entriesInFlight: env.MAX_ENTRIES_IN_FLIGHT,
        subscriberLag: env.SUBSCRIBER_MAX_LAG,
        socketOperations: env.MAX_SOCKET_OPERATIONS,
        streams: env.MAX_STREAMS,
      },
    },
    secrets: {
      databaseUrl: env.DATABASE_URL,
      databaseDirectUrl: env.DATABASE_DIRECT_URL,
      signalsUrl: env.SIGNALS_URL,
      answersUrl: env.ANSWERS_URL,
      cdnPurge: env.CDN_PURGE_URL
        ? { url: env.CDN_PURGE_URL, headers: env.CDN_PURGE_HEADERS ?? {} }
        : undefined,
      subgraphApiKey: env.SUBGRAPH_API_KEY,
      metricsToken: env.METRICS_TOKEN,
      traceHeaders: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      issuers: env.ISSUERS ?? files.issuers ?? [],
      sealingKeys: env.SECRETS_KEY,
    },
  };
}

const loopback: Network[] = [
  { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
  { address: '::1', prefix: 128, family: 'ipv6' },
];

function jwtConfig(env: Env): JwtConfig | undefined {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = env;
  if (!jwksUrl || !issuer || !audience) return undefined;
  return { jwksUrl, issuer, audience, issuerClaim: env.JWT_ISSUER_CLAIM, scopeClaim: env.JWT_SCOPE_CLAIM };
}

function traceConfig(env: Env): TraceConfig | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = env;
  const url = own ?? (base && `${base}/v1/traces`);
  return url ? { url, serviceName: env.OTEL_SERVICE_NAME, ratio: env.OTEL_TRACES_SAMPLER_ARG } : undefined;
}
