import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { Config, Issuer, Secrets, Upstreams } from '../config/config.ts';
import type { Showcase } from '../graphql/server/graphiql.ts';

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
