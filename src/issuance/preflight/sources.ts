import type { Address } from '@srr-gateway/common/address';
import type { SchemaSource } from './schema-source.ts';
import type { SchemaValidator } from './schema-validator.ts';

/** Sources of the preflight besides the database and the service, wired in `app/services.ts`. */
export interface PreflightSources {
  /** Fetches the schemas that documents name. */
  schemas: SchemaSource;
  schemaValidator: SchemaValidator;
  /** The addresses that the subgraph has as licensed users. @throws GatewayError */
  licensedUsers(addresses: readonly Address[], signal: AbortSignal): Promise<ReadonlySet<Address>>;
  /** The owners of these collections, as far as the subgraph has them. @throws GatewayError */
  collectionOwners(
    addresses: readonly Address[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<Address, Address | undefined>>;
}
