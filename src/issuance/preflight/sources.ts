import type { Address } from '@srr-gateway/common/address';
import type { SchemaJudge } from './schema-judge.ts';
import type { SchemaSource } from './schema-source.ts';

/** Sources of the preflight besides the database and the service, wired in `app/services.ts`. */
export interface PreflightSources {
  /** Fetches the schemas that documents name. */
  schemas: SchemaSource;
  schemaJudge: SchemaJudge;
  /** Which of these addresses the subgraph has as licensed users. @throws GatewayError */
  licensedUsers(addresses: readonly Address[], signal: AbortSignal): Promise<ReadonlySet<Address>>;
  /** The owners of these collections; without those that the subgraph does not have. @throws GatewayError */
  collectionOwners(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, Address | undefined>>;
}
