import type { Database } from '@srr-gateway/common/database/database';
import type { Logger } from '@srr-gateway/common/log';
import type { Config, Issuer, Secrets, Upstreams } from '../config/config.ts';
import type { Showcase } from '../graphql/graphiql/graphiql.ts';

export interface AppOptions {
  config: Config;
  secrets: Secrets;
  /** The configured upstreams, or the sandbox's. */
  upstreams: Upstreams;
  database: Database;
  log: Logger;
  /** Sample values for GraphiQL's tabs, so that they run as they are. */
  showcase?: Showcase | undefined;
}

/** A running gateway. */
export interface App {
  /** Its address as clients see it. */
  url: string;
  /** Applies from the next request on. */
  replaceIssuers(issuers: Issuer[]): void;
  /**
   * Accepts no new work, lets running work end within DRAIN_TIMEOUT, and leaves the rest to the next start or
   * another replica.
   */
  stop(): Promise<void>;
}
