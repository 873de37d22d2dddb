import type { Address } from '@srr-gateway/common/address';
import type { Env } from './env.ts';
import type { Issuer } from './issuers.ts';
import type { Network } from './values.ts';

/** The upstreams of the gateway. */
export interface Upstreams {
  /** `{base_url}` of the issuance service. */
  commerceUrl: string;
  /** Tried in order. */
  subgraphUrls: string[];
  /** The first is the preferred `{cdn_url}`. */
  ipfsGateways: string[];
  /**
   * The registry contract, which has the records without a collection. Absent: those records are found by
   * token id alone, and their contract address is null.
   */
  registryAddress: Address | undefined;
}

/** Settings for JWTs of a front end's identity provider. */
export interface JwtConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** The claims that hold the issuer's address and the scopes. */
  issuerClaim: string;
  scopeClaim: string;
}

/** Settings of the trace export. */
export interface TraceConfig {
  url: string;
  serviceName: string;
  /** Share of the traces that begin here to sample, from 0 to 1. */
  ratio: number;
}

/** Limits of one GraphQL request. */
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

/** Deliveries to partners' endpoints. */
export interface WebhookConfig {
  /** Networks that are not public and may be delivered to all the same. */
  privateNetworks: Network[];
  timeoutMs: number;
  /** The pause after the first failure. */
  retryFirstMs: number;
  /** How long one delivery is retried. */
  retryForMs: number;
  /** How long a delivery without an answer holds up those behind it. */
  holdMs: number;
  /** How long an endpoint fails before it is FAILING, and before it is DISABLED. */
  failingAfterMs: number;
  disableAfterMs: number;
  ratePerSecond: number;
  /** Endpoints of one issuer, those of the configuration included. */
  maxEndpoints: number;
  /** How long deliveries are kept. */
  keepMs: number;
}

/** Settings that are not secret. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  dataDir: string;
  databasePool: number;
  /** Absent: the sandbox takes their place. */
  upstreams: Upstreams | undefined;
  vendor: { path: string; prefix: string };
  passthrough: boolean;
  /** Absent: JWTs are not accepted. */
  jwt: JwtConfig | undefined;
  /** Path of the issuers file. It is read again when it changes. */
  issuersFile: string | undefined;
  webhookTypes: Env['WEBHOOK_TYPES'];
  logLevel: Env['LOG_LEVEL'];
  /** Absent: no traces. */
  traces: TraceConfig | undefined;
  graphiql: boolean;
  introspection: boolean;
  /** Documents by id. Absent: any document may be executed. */
  trustedDocuments: ReadonlyMap<string, string> | undefined;
  /** Origins of pages that may call the gateway. */
  corsOrigins: '*' | readonly string[];
  /** Requests per caller and minute; 0: unlimited. */
  rateLimit: number;
  /** The most that the operations of a caller may cost in a minute; 0: any. */
  costBudget: number;
  /** Number of proxies in front of the gateway that append to X-Forwarded-For. */
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
    failureWatch: number;
    keepDetails: number;
    keepEvents: number;
  };
  /** Caches of verified IPFS content. `directory` absent: in memory only. */
  ipfsCache: { memoryBytes: number; maxBytes: number; directory: string | undefined };
  /** Cache of smaller pictures. `directory` absent: in memory only. */
  pictureCache: { maxBytes: number; directory: string | undefined };
  webhooks: WebhookConfig;
  limits: {
    webhookBytes: number;
    bodyBytes: number;
    anonymousBodyBytes: number;
    entriesInFlight: number;
    subscriberLag: number;
    /** Open operations per socket. */
    socketOperations: number;
    /** Event streams and sockets per address; 0: unlimited. */
    streams: number;
  };
}

/** Secret settings. Passed only to the code that uses them, and never logged. */
export interface Secrets {
  databaseUrl: string | undefined;
  /** Absent: `databaseUrl` leads to PostgreSQL itself. */
  databaseDirectUrl: string | undefined;
  /** Absent: signals go through PostgreSQL. */
  signalsUrl: string | undefined;
  /** Absent: replicas share no answers. */
  answersUrl: string | undefined;
  /** Where purges of the CDN are sent, and with which headers. Absent: answers have no tags. */
  cdnPurge: { url: string; headers: Record<string, string> } | undefined;
  subgraphApiKey: string | undefined;
  /** Absent: metrics are served to this machine only. */
  metricsToken: string | undefined;
  /** Headers that are sent with traces. */
  traceHeaders: Record<string, string>;
  issuers: Issuer[];
  /**
   * 32 bytes each. The first encrypts stored credentials, and all of them decrypt. Absent: a key is made once
   * in the data directory.
   */
  sealingKeys: [Buffer, ...Buffer[]] | undefined;
}
