import type { Address } from '@srr-gateway/common/address';
import type { Env } from './env.ts';
import type { Issuer } from './issuers.ts';

/** The three systems behind the gateway. */
export interface Upstreams {
  /** `{base_url}` of the issuance service. */
  commerceUrl: string;
  /** Tried in order. */
  subgraphUrls: string[];
  /** The first is the preferred `{cdn_url}`. */
  ipfsGateways: string[];
  /**
   * The registry contract, where records without a collection live. Absent: those records are looked up by
   * token id alone, and their contract address is null.
   */
  registryAddress: Address | undefined;
}

/** How JWTs of a front-end's own identity provider are checked. */
export interface JwtConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** The claims that hold the issuer's address and the scopes. */
  issuerClaim: string;
  scopeClaim: string;
}

/** Where traces are sent, and how many. */
export interface TraceConfig {
  url: string;
  serviceName: string;
  /** Share of the traces that begin here, from 0 to 1. */
  ratio: number;
}

/** What one request may ask for. */
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

/** Settings that are not secret. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | undefined;
  dataDir: string;
  databasePool: number;
  /** Absent: the built-in sandbox takes their place. */
  upstreams: Upstreams | undefined;
  vendor: { path: string; prefix: string };
  passthrough: boolean;
  /** Absent: JWTs are not accepted. */
  jwt: JwtConfig | undefined;
  /** Read again when it changes. */
  issuersFile: string | undefined;
  webhookTypes: Env['WEBHOOK_TYPES'];
  logLevel: Env['LOG_LEVEL'];
  /** Absent: no traces. */
  traces: TraceConfig | undefined;
  graphiql: boolean;
  introspection: boolean;
  /** Documents by id. Absent: any document may be executed. */
  trustedDocuments: ReadonlyMap<string, string> | undefined;
  /** Origins whose pages may call. */
  corsOrigins: '*' | readonly string[];
  /** Requests per caller and minute; 0: unlimited. */
  rateLimit: number;
  /** How many proxies append to X-Forwarded-For in front of the gateway. */
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
  /** Verified content, in bytes. `directory` absent: cached in memory only. */
  ipfsCache: { memoryBytes: number; maxBytes: number; directory: string | undefined };
  /** Smaller pictures, in bytes. `directory` absent: kept in memory only. */
  pictureCache: { maxBytes: number; directory: string | undefined };
  limits: {
    webhookBytes: number;
    bodyBytes: number;
    anonymousBodyBytes: number;
    entriesInFlight: number;
    subscriberLag: number;
    /** Operations that one socket may have open. */
    socketOperations: number;
    /** Event streams and sockets per address; 0: unlimited. */
    streams: number;
  };
}

/** Secret settings: passed only to the code that uses them, never logged. */
export interface Secrets {
  databaseUrl: string | undefined;
  subgraphApiKey: string | undefined;
  /** Absent: metrics are shown to this machine only. */
  metricsToken: string | undefined;
  /** Headers that are sent with traces. */
  traceHeaders: Record<string, string>;
  issuers: Issuer[];
  /**
   * 32 bytes each. The first seals stored credentials, all of them open. Absent: a key is made once in the
   * data directory.
   */
  sealingKeys: [Buffer, ...Buffer[]] | undefined;
}
