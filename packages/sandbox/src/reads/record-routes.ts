import { type Address, parseAddress } from '@srr-gateway/common/address';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { refusals } from '../http/refusals.ts';
import { cannotGet, ServiceError } from '../http/service-error.ts';
import type { Directory } from '../licensing/directory.ts';
import { collection, ownedRecord, record } from './definitions.ts';
import type { Documents } from './documents.ts';
import { addressParameter, method, ownedQuery, tokenIdParameter } from './parameters.ts';
import { collectionShape, ownedShape, recordShape } from './shapes.ts';
import type { SubgraphReader } from './subgraph-reader.ts';

interface RecordRoutes {
  index: SubgraphReader;
  documents: Documents;
  directory: Directory;
  registryAddress: Address;
  vendorPath: string;
}

const tags = ['Public reads'];
const oneRecord = {
  200: record.describe('The record as the subgraph has it.'),
  400: refusals[400],
  404: refusals[404],
  502: refusals[502],
};

/** Serves records and collections from the subgraph. */
export function recordRoutes(server: FastifyInstance, options: RecordRoutes): void {
  const { index, documents, directory, registryAddress, vendorPath } = options;
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.route({
    method,
    url: `/${vendorPath}/api/v1/licensedUser/:address/collections`,
    schema: {
      operationId: 'listCollections',
      tags,
      summary: 'Collections of a licensed user',
      description: 'The collections that the wallet owns now, oldest first.',
      params: z.object({ address: z.string() }),
      response: {
        200: z.array(collection).describe('The collections, as a bare list.'),
        404: refusals[404].describe(
          'No such licensed user: `Cannot GET /api/v1/licensedUser/<address>/collections`.',
        ),
        502: refusals[502],
      },
    },
    handler: async ({ params: { address } }) => {
      const owner = parseAddress(address.toLowerCase());
      const known = owner && (await directory.find([owner])).get(owner);
      // The message has the path without the vendor's prefix, as on the live service.
      if (!owner || !known || known.withdrawn) throw cannotGet(`/api/v1/licensedUser/${address}/collections`);
      return (await index.collections(owner.toLowerCase())).map(collectionShape);
    },
  });

  routes.route({
    method,
    url: '/port/api/v1/ownerAddress/:ownerAddress/ownedSrrs',
    schema: {
      operationId: 'listOwnedSrrs',
      tags,
      summary: 'Records of an owner, with their metadata',
      description:
        'Issued records only, in the order of their ids in the subgraph, so that pages hold still. `offset` is not honoured. An owner without records gets an empty list (a choice).',
      params: z.object({ ownerAddress: addressParameter('ownerAddress') }),
      querystring: ownedQuery,
      response: {
        200: z.array(ownedRecord).describe('The records, as a bare list.'),
        400: refusals[400],
        502: refusals[502],
      },
    },
    handler: async ({ params: { ownerAddress }, query: { limit, page } }) => {
      const records = await index.owned(ownerAddress.toLowerCase(), (page - 1) * limit, limit);
      return Promise.all(
        records.map(async (record) =>
          ownedShape(record, registryAddress, await documents.json(record.metadataDigest ?? '')),
        ),
      );
    },
  });

  routes.route({
    method,
    url: '/port/api/v1/collection/:collectionContractAddress/srr/:tokenId',
    schema: {
      operationId: 'readSrr',
      tags,
      summary: 'One record',
      description:
        'For a record without a collection the contract is the registry. A record that does not exist gives 404 with `SRR not found: <id>` (a choice).',
      params: z.object({
        collectionContractAddress: addressParameter('collectionContractAddress'),
        tokenId: tokenIdParameter,
      }),
      response: oneRecord,
    },
    handler: ({ params }) => recordOf(params.collectionContractAddress, params.tokenId),
  });

  routes.route({
    method,
    url: '/port/api/v1/srr/:tokenId',
    schema: {
      operationId: 'readRegistrySrr',
      tags,
      summary: 'One record of the registry',
      deprecated: true,
      params: z.object({ tokenId: tokenIdParameter }),
      response: oneRecord,
    },
    handler: ({ params }) => recordOf(registryAddress, params.tokenId),
  });

  async function recordOf(contract: Address, tokenId: bigint) {
    const record = await index.record(contract, tokenId);
    if (record === undefined)
      throw new ServiceError(404, `SRR not found: ${contract.toLowerCase()}-${tokenId}`);
    return recordShape(record, registryAddress);
  }
}
