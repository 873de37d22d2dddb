import type { Address } from '@srr-gateway/common/address';
import type { FastifyInstance } from 'fastify';
import { allowAnyOrigin } from '../http/cors.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Content } from '../ipfs/content.ts';
import type { Directory } from '../licensing/directory.ts';
import type { Db } from '../store/tables.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import { Documents } from './documents.ts';
import { metadataRoutes } from './metadata-routes.ts';
import { recordRoutes } from './record-routes.ts';
import { SubgraphReader } from './subgraph-reader.ts';

interface ReadRoutes {
  db: Db;
  subgraph: Pick<Subgraph, 'query'>;
  content: Content;
  directory: Directory;
  registryAddress: Address;
  /** The `{vendor}` segment of the paths. */
  vendorPath: string;
}

/**
 * Public reads without a key: thin wrappers over the subgraph and published metadata. Where the service's
 * documents leave something open, the descriptions mark the sandbox's choice.
 */
export async function readRoutes(server: FastifyInstance, options: ReadRoutes): Promise<void> {
  allowAnyOrigin(server, 'GET, HEAD');
  // The messages name the parameter, so they need no path. Each is sent once.
  server.setSchemaErrorFormatter(
    (issues) => new ServiceError(400, [...new Set(issues.map(({ message = '' }) => message))]),
  );
  const index = new SubgraphReader(options.subgraph);
  const documents = new Documents(options.db, options.content);
  recordRoutes(server, { ...options, index, documents });
  metadataRoutes(server, { ...options, index, documents });
}
