import { join } from 'node:path';
import type { Address } from '../lib/address.ts';
import { parseAddress } from '../lib/address.ts';
import { type Env, envSchema } from './env.ts';
import { type Issuer, issuerFaults } from './issuers.ts';
import { readIssuersFile } from './issuers-file.ts';
import { readTrustedDocuments } from './trusted-documents.ts';

export type { Issuer } from './issuers.ts';

/** The three systems behind the gateway. */
export interface Upstreams {
  /** `{base_url}` of the issuance service. */
  commerceUrl: string;
  /** Tried in order. */
  subgraphUrls: string[];
  /** The first is the preferred `{cdn_url}`. */
  ipfsGateways: string[];
  /** The registry contract, where records without a collection live; absent: shown as unknown. */
  registryAddress: Address | undefined;
}

/** Sign-in tokens of a front-end's own identity provider. */
export interface JwtConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** Which claim has the issuer's address, and which the scopes. */
  issuerClaim: string;
  scopeClaim: string;
}

/** Where traces go, and which. */
export interface TraceConfig {
  url: string;
  serviceName: string;
  /** Of the traces that begin here, from 0 to 1. */
  ratio: number;
}

/** How much one request may ask for. */
export interface QueryLimits {
  tokens: number;
  depth: number;
  aliases: number;
  directives: number;
  fragments: number;
  rootFields: number;
  cost: number;
  batch: number;
}

/** Settings that may be shown to anybody. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  dataDir: string;
  databasePool: number;
  /** Absent: the built-in sandbox stands in for all of them. */
  upstreams: Upstreams | undefined;
  vendor: { path: string; prefix: string };
  passthrough: boolean;
  /** Absent: none are taken. */
  jwt: JwtConfig | undefined;
  /** Read again when it changes. */
  issuersFile: string | undefined;
  webhookTypes: Env['WEBHOOK_TYPES'];
  logLevel: Env['LOG_LEVEL'];
  /** Absent: nobody traces. */
  traces: TraceConfig | undefined;
  graphiql: boolean;
  introspection: boolean;
  /** By their ids; absent: every document may be asked for. */
  trustedDocuments: ReadonlyMap<string, string> | undefined;
  /** Pages of these origins may call. */
  corsOrigins: '*' | readonly string[];
  /** Requests of one caller in a minute; 0: any number. */
  rateLimit: number;
  /** How many of them write X-Forwarded-For before a request comes here. */
  trustedProxies: number;
  queryLimits: QueryLimits;
  /** All in milliseconds. */
  timeouts: {
    commerce: number;
    issue: number;
    subgraph: number;
    ipfs: number;
    filesReady: number;
    reconcileAfter: number;
    indexWait: number;
    drain: number;
    request: number;
    reorgWatch: number;
    keepDetails: number;
    keepEvents: number;
  };
  /** Verified content: in bytes, in memory and on a disk; `directory` absent: in memory only. */
  ipfsCache: { memoryBytes: number; maxBytes: number; directory: string | undefined };
  limits: {
    webhookBytes: number;
    bodyBytes: number;
    anonymousBodyBytes: number;
    entriesInFlight: number;
    subscriberLag: number;
    /** That one socket has open at a time. */
    socketOperations: number;
    /** Event streams and sockets of one address; 0: any number. */
    streams: number;
  };
}

/** Settings that may be shown to nobody: passed only to what uses them, never logged. */
export interface Secrets {
  databaseUrl: string | undefined;
  subgraphApiKey: string | undefined;
  /** Absent: figures are shown to this machine only. */
  metricsToken: string | undefined;
  /** Sent along with traces. */
  traceHeaders: Record<string, string>;
  issuers: Issuer[];
  /** 32 bytes each: the first seals stored credentials, all open them; absent: made once in the data directory. */
  sealingKeys: [Buffer, ...Buffer[]] | undefined;
}

/** All faults of a configuration at once, each named by its variable. */
export class ConfigError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Reads the configuration once. An empty variable counts as absent, as container tools set them. */
export function loadConfig(variables: Record<string, string | undefined>): {
  config: Config;
  secrets: Secrets;
} {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = envSchema.safeParse(present);
  const faults = parsed.success
    ? []
    : parsed.error.issues.flatMap(({ path, message }) => {
        const [name, ...place] = path;
        const given = name === 'ISSUERS' ? jsonIn(present.ISSUERS) : undefined;
        return issuerFaults(String(name), [{ path: place, message }], given);
      });
  faults.push(...faultsBetween(present));
  const files = {
    issuers: present.ISSUERS_FILE === undefined ? undefined : readIssuersFile(present.ISSUERS_FILE, faults),
    trustedDocuments: readTrustedDocuments(present.TRUSTED_DOCUMENTS_FILE, faults),
  };
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return shape(parsed.data, files);
}

function jsonIn(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Set all of them for a live service, or none for the sandbox. */
export const liveNames = ['COMMERCE_URL', 'SUBGRAPH_URL', 'IPFS_GATEWAYS'] as const;

/** A sign-in token is only good with all three checked. */
const jwtNames = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const;

/** Rules that no single variable can check alone. */
function faultsBetween(env: Record<string, string | undefined>): string[] {
  const faults: string[] = [];
  const missing = liveNames.filter((name) => env[name] === undefined);
  if (missing.length > 0 && missing.length < liveNames.length)
    faults.push(
      `${missing.join(', ')}: missing. Set all of ${liveNames.join(', ')} for a live service, or none for the sandbox`,
    );
  if (missing.length === 0 && env.ISSUERS === undefined && env.ISSUERS_FILE === undefined)
    if (env.PASSTHROUGH === 'off')
      faults.push('ISSUERS: missing. With PASSTHROUGH=off and no issuer nobody could issue anything');
  if (env.ISSUERS !== undefined && env.ISSUERS_FILE !== undefined)
    faults.push('ISSUERS, ISSUERS_FILE: set one of them, not both');
  const noJwt = jwtNames.filter((name) => env[name] === undefined);
  if (noJwt.length > 0 && noJwt.length < jwtNames.length)
    faults.push(
      `${noJwt.join(', ')}: missing. Set all of ${jwtNames.join(', ')} for sign-in tokens, or none`,
    );
  if (env.DATABASE_URL !== undefined && env.SECRETS_KEY === undefined)
    faults.push(
      'SECRETS_KEY: missing. Replicas that share DATABASE_URL need one key (openssl rand -base64 32)',
    );
  return faults;
}

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

interface Files {
  issuers: Issuer[] | undefined;
  trustedDocuments: ReadonlyMap<string, string> | undefined;
}

function shape(env: Env, files: Files): { config: Config; secrets: Secrets } {
  const ms = (seconds: number) => seconds * 1000;
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
        keepDetails: env.KEEP_DETAILS_DAYS * 86_400_000,
        keepEvents: env.KEEP_EVENTS_DAYS * 86_400_000,
      },
      ipfsCache: {
        memoryBytes: env.IPFS_MEMORY_BYTES,
        maxBytes: env.IPFS_CACHE_BYTES,
        // With a database elsewhere the process may have no directory of its own to write to.
        directory: env.IPFS_CACHE_DIR ?? (env.DATABASE_URL ? undefined : join(env.DATA_DIR, 'ipfs')),
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
      subgraphApiKey: env.SUBGRAPH_API_KEY,
      metricsToken: env.METRICS_TOKEN,
      traceHeaders: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
      issuers: env.ISSUERS ?? files.issuers ?? [],
      sealingKeys: env.SECRETS_KEY,
    },
  };
}
