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
    failureWatch: number;
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
