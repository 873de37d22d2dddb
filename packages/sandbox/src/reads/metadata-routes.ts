import type { Address } from '@srr-gateway/common/address';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { refusals } from '../http/refusals.ts';
import { cannotGet } from '../http/service-error.ts';
import type { Documents } from './documents.ts';
import { addressParameter, method, tokenFile } from './parameters.ts';
import type { SubgraphReader } from './subgraph-reader.ts';

interface MetadataRoutes {
  index: SubgraphReader;
  documents: Documents;
  registryAddress: Address;
  vendorPath: string;
}

const tags = ['Public reads'];
const document = {
  200: z.looseObject({}).describe('The metadata, byte for byte.'),
  404: refusals[404],
  502: refusals[502],
};

/** Serves metadata by token, and by digest for token URIs from before 2023. */
export function metadataRoutes(server: FastifyInstance, options: MetadataRoutes): void {
  const { index, documents, registryAddress, vendorPath } = options;
  const vendor = `/${vendorPath}/api/v1`;
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.route({
    method,
    url: `${vendor}/srr/metadata/:tokenFile`,
    schema: {
      operationId: 'readRegistryMetadata',
      tags,
      summary: 'Metadata of a record of the registry',
      description:
        'What its token URI leads to. The only way to metadata from before 2023, which is on no content network.',
      params: z.object({ tokenFile }),
      response: document,
    },
    handler: ({ params: { tokenFile } }, reply) =>
      metadataOf(registryAddress, tokenFile, `/api/v1/srr/metadata/${tokenFile}`, reply),
  });

  routes.route({
    method,
    url: `${vendor}/srr/metadata/:contractAddress/:tokenFile`,
    schema: {
      operationId: 'readMetadata',
      tags,
      summary: 'Metadata of a record of any contract',
      params: z.object({ contractAddress: addressParameter('contractAddress'), tokenFile }),
      response: { ...document, 400: refusals[400] },
    },
    handler: ({ params: { contractAddress, tokenFile }, url }, reply) => {
      const [path = ''] = url.replace(`/${vendorPath}`, '').split('?');
      return metadataOf(contractAddress, tokenFile, path, reply);
    },
  });

  routes.route({
    method,
    url: '/api/v1/metadata/:digestFile',
    schema: {
      operationId: 'readMetadataByDigest',
      tags,
      summary: 'Metadata by its digest',
      description:
        'Where token URIs of records from before 2023 point to. The digest is the keccak-256 of the bytes (a choice).',
      params: z.object({ digestFile: z.string().describe('`0x<64 hex digits>.json`') }),
      response: document,
    },
    handler: ({ params: { digestFile } }, reply) => {
      const [, digest] = /^(0x[0-9a-fA-F]{64})\.json$/.exec(digestFile) ?? [];
      return published(digest, `/api/v1/metadata/${digestFile}`, reply);
    },
  });

  async function metadataOf(contract: Address, tokenFile: string, path: string, reply: FastifyReply) {
    const [, tokenId] = /^(\d{1,78})\.json$/.exec(tokenFile) ?? [];
    const record = tokenId === undefined ? undefined : await index.record(contract, BigInt(tokenId));
    return published(record?.metadataDigest ?? undefined, path, reply);
  }

  /** Sends the bytes as published, so that a client can verify them by the CID or digest. Throws 404. */
  async function published(name: string | undefined, path: string, reply: FastifyReply) {
    const text = name === undefined ? undefined : await documents.text(name);
    if (text === undefined) throw cannotGet(path);
    return reply.type('application/json; charset=utf-8').send(text);
  }
}
