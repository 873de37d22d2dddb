import { join } from 'node:path';
import { parseAddress } from '@srr-gateway/common/address';
import type { Env } from './env.ts';
import type { Issuer } from './issuers.ts';
import type { Network } from './values.ts';

/** The contents of files that variables name. */
export interface Files {
  issuers: Issuer[] | undefined;
  trustedDocuments: ReadonlyMap<string, string> | undefined;
}

/** Settings that are not secret. */
export type Config = ReturnType<typeof fromEnv>['config'];
/** Secret settings. Passed only to the code that uses them, and never logged. */
export type Secrets = ReturnType<typeof fromEnv>['secrets'];
/** The upstreams of the gateway. */
export type Upstreams = NonNullable<Config['upstreams']>;
/** Settings for JWTs of a front end's identity provider. */
export type JwtConfig = NonNullable<Config['jwt']>;
/** Limits of one GraphQL request. */
export type QueryLimits = Config['queryLimits'];
/** Deliveries to partners' endpoints. */
export type WebhookConfig = Config['webhooks'];

/** Converts the settings to the units that the code uses, and separates the secrets. */
export function fromEnv(env: Env, files: Files) {
  // Round up, to at least 1: `AbortSignal.timeout` throws for a fraction, and 16.1 * 1000 has one.
  const ms = (seconds: number) => Math.ceil(seconds * 1000);
  // With an external database there may be no writable directory.
  const ipfsDirectory = env.IPFS_CACHE_DIR ?? (env.DATABASE_URL ? undefined : join(env.DATA_DIR, 'ipfs'));
  return {
    config: {
      host: env.HOST,
      port: env.PORT,
      publicUrl: env.PUBLIC_URL,
      dataDir: env.DATA_DIR,
      databasePool: env.DATABASE_POOL,
      /** Absent: the sandbox takes their place. */
      upstreams: upstreamsIn(env),
      vendor: { path: env.VENDOR_PATH, prefix: env.VENDOR_PREFIX },
      passthrough: env.PASSTHROUGH,
      /** Absent: JWTs are not accepted. */
      jwt: jwtConfig(env),
      /** Path of the issuers file. It is read again when it changes. */
      issuersFile: env.ISSUERS_FILE,
      webhookTypes: env.WEBHOOK_TYPES,
      logLevel: env.LOG_LEVEL,
      /** Absent: no traces. */
      traces: traceConfig(env),
      graphiql: env.GRAPHIQL,
      introspection: env.INTROSPECTION,
      /** Documents by id. Absent: any document may be executed. */
      trustedDocuments: files.trustedDocuments,
      /** Origins of pages that may call the gateway. */
      corsOrigins: env.CORS_ORIGINS,
      /** Requests per caller and minute; 0: unlimited. */
      rateLimit: env.RATE_LIMIT,
      /** The most that the operations of a caller may cost in a minute; 0: unlimited. */
      costBudget: env.COST_LIMIT,
      /** Number of proxies in front of the gateway that append to X-Forwarded-For. */
      trustedProxies: env.TRUSTED_PROXIES,
      queryLimits: {
        tokens: env.MAX_TOKENS,
        depth: env.MAX_DEPTH,
        aliases: env.MAX_ALIASES,
        directives: env.MAX_DIRECTIVES,
        fragments: env.MAX_FRAGMENTS,
        rootFields: env.MAX_ROOT_FIELDS,
        // An operation that costs more than a caller's whole budget could never be executed.
        cost: Math.min(env.MAX_COST, env.COST_LIMIT || env.MAX_COST),
        batch: env.MAX_BATCH,
      },
      /** All in milliseconds. */
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
      /** Caches of verified IPFS content. `directory` absent: in memory only. */
      ipfsCache: {
        memoryBytes: env.IPFS_MEMORY_BYTES,
        maxBytes: env.IPFS_CACHE_BYTES,
        directory: ipfsDirectory,
      },
      /** Cache of smaller pictures. `directory` absent: in memory only. */
      pictureCache: {
        maxBytes: env.PICTURE_CACHE_BYTES,
        directory: ipfsDirectory && join(ipfsDirectory, 'pictures'),
      },
      webhooks: {
        /**
         * Private networks to which deliveries may be sent in spite of the SSRF protection. With the sandbox,
         * receivers are usually on this machine.
         */
        privateNetworks: env.ALLOW_PRIVATE_WEBHOOKS ?? (env.COMMERCE_URL ? [] : loopback),
        timeoutMs: ms(env.WEBHOOK_TIMEOUT),
        /** The pause after the first failure. */
        retryFirstMs: ms(env.WEBHOOK_RETRY_FIRST),
        /** How long one delivery is retried. */
        retryForMs: ms(env.WEBHOOK_RETRY_FOR),
        /** How long a delivery without an answer blocks those behind it. */
        holdMs: ms(env.WEBHOOK_HOLD),
        /** How long an endpoint fails before it is FAILING, and before it is DISABLED. */
        failingAfterMs: ms(env.WEBHOOK_FAILING_AFTER),
        disableAfterMs: ms(env.WEBHOOK_DISABLE_AFTER),
        ratePerSecond: env.WEBHOOK_RATE,
        /** Endpoints of one issuer, those of the configuration included. */
        maxEndpoints: env.MAX_WEBHOOK_ENDPOINTS,
        /** How long deliveries are kept. */
        keepMs: env.KEEP_DELIVERIES_DAYS * 86_400_000,
      },
      limits: {
        webhookBytes: env.WEBHOOK_MAX_BYTES,
        bodyBytes: env.BODY_MAX_BYTES,
        anonymousBodyBytes: env.ANONYMOUS_BODY_MAX_BYTES,
        entriesInFlight: env.MAX_ENTRIES_IN_FLIGHT,
        subscriberLag: env.SUBSCRIBER_MAX_LAG,
        /** Open operations per socket. */
        socketOperations: env.MAX_SOCKET_OPERATIONS,
        /** Event streams and sockets per address; 0: unlimited. */
        streams: env.MAX_STREAMS,
      },
    },
    secrets: {
      databaseUrl: env.DATABASE_URL,
      /** Absent: `databaseUrl` leads to PostgreSQL itself. */
      databaseDirectUrl: env.DATABASE_DIRECT_URL,
      /** Absent: signals go through PostgreSQL. */
      signalsUrl: env.SIGNALS_URL,
      /** Absent: replicas share no answers. */
      answersUrl: env.ANSWERS_URL,
      /** The address and headers of CDN purges. Absent: answers have no tags. */
      cdnPurge: env.CDN_PURGE_URL
        ? { url: env.CDN_PURGE_URL, headers: env.CDN_PURGE_HEADERS ?? {} }
        : undefined,
      subgraphApiKey: env.SUBGRAPH_API_KEY,
      /** Absent: metrics are served to this machine only. */
      metricsToken: env.METRICS_TOKEN,
      /** Headers that are sent with traces. */
      traceHeaders: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      issuers: env.ISSUERS ?? files.issuers ?? [],
      /**
       * 32 bytes each. The first encrypts stored credentials, and all of them decrypt. Absent: a key is made once
       * in the data directory.
       */
      sealingKeys: env.SECRETS_KEY,
    },
  };
}

const loopback: Network[] = [
  { address: '127.0.0.0', prefix: 8, family: 'ipv4' },
  { address: '::1', prefix: 128, family: 'ipv6' },
];

function upstreamsIn(env: Env) {
  const { COMMERCE_URL: commerceUrl, SUBGRAPH_URL: subgraphUrls, IPFS_GATEWAYS: ipfsGateways } = env;
  if (!commerceUrl || !subgraphUrls || !ipfsGateways) return undefined;
  return {
    /** `{base_url}` of the issuance service. */
    commerceUrl,
    /** Tried in order. */
    subgraphUrls,
    /** The first is the preferred `{cdn_url}`. */
    ipfsGateways,
    /**
     * The registry contract, which holds the records without a collection. Absent: they are looked up by token id
     * alone, and their contract address is null.
     */
    registryAddress: parseAddress(env.REGISTRY_ADDRESS ?? ''),
  };
}

function jwtConfig(env: Env) {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = env;
  if (!jwksUrl || !issuer || !audience) return undefined;
  // The claims are those that hold the issuer's address and the scopes.
  return { jwksUrl, issuer, audience, issuerClaim: env.JWT_ISSUER_CLAIM, scopeClaim: env.JWT_SCOPE_CLAIM };
}

function traceConfig(env: Env) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesUrl } = env;
  const url = tracesUrl ?? (base && `${base}/v1/traces`);
  // The ratio is the share of the traces that begin here to sample, from 0 to 1.
  return url ? { url, serviceName: env.OTEL_SERVICE_NAME, ratio: env.OTEL_TRACES_SAMPLER_ARG } : undefined;
}
