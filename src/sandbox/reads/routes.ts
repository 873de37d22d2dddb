import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Address, parseAddress } from '../../lib/address.ts';
import { allowAnyOrigin } from '../http/cors.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Content } from '../ipfs/content.ts';
import type { Directory } from '../licensing/directory.ts';
import type { Db } from '../store/tables.ts';
import type { Subgraph } from '../subgraph/subgraph.ts';
import { Documents } from './documents.ts';
import { IndexReader } from './index-reader.ts';
import { readAddress, readOwnedQuery, readTokenId } from './parameters.ts';
import { collectionShape, ownedShape, recordShape } from './shapes.ts';

export interface ReadRoutes {
  db: Db;
  subgraph: Pick<Subgraph, 'query'>;
  content: Content;
  directory: Directory;
  registryAddress: Address;
  /** `{vendor}` of the paths. */
  vendorPath: string;
}

type Params = Record<string, string>;

/** What anybody may read without a key: thin wrappers of the index and of published metadata. */
export async function readRoutes(server: FastifyInstance, options: ReadRoutes): Promise<void> {
  const { directory, registryAddress, vendorPath } = options;
  const index = new IndexReader(options.subgraph);
  const documents = new Documents(options.db, options.content);
  const vendor = `/${vendorPath}/api/v1`;
  allowAnyOrigin(server, 'GET, HEAD');

  get(`${vendor}/licensedUser/:address/collections`, async ({ address = '' }) => {
    const owner = parseAddress(address.toLowerCase());
    const known = owner && (await directory.find([owner])).get(owner);
    // The inner path, without the vendor's prefix: as on the live service.
    if (!owner || !known || known.withdrawn) throw cannotGet(`/api/v1/licensedUser/${address}/collections`);
    return (await index.collections(owner.toLowerCase())).map(collectionShape);
  });

  get('/port/api/v1/ownerAddress/:ownerAddress/ownedSrrs', async ({ ownerAddress = '' }, { query }) => {
    const owner = readAddress(ownerAddress, 'ownerAddress');
    const { limit, page } = readOwnedQuery(query);
    const records = await index.owned(owner.toLowerCase(), (page - 1) * limit, limit);
    return Promise.all(
      records.map(async (record) =>
        ownedShape(record, registryAddress, await documents.json(record.metadataDigest ?? '')),
      ),
    );
  });

  get('/port/api/v1/collection/:collectionContractAddress/srr/:tokenId', (params) => {
    const { collectionContractAddress = '', tokenId = '' } = params;
    return oneRecord(
      readAddress(collectionContractAddress, 'collectionContractAddress'),
      readTokenId(tokenId),
    );
  });

  // Deprecated upstream: records of the registry only.
  get('/port/api/v1/srr/:tokenId', ({ tokenId = '' }) => oneRecord(registryAddress, readTokenId(tokenId)));

  get(`${vendor}/srr/metadata/:tokenFile`, ({ tokenFile = '' }, _request, reply) =>
    metadataOf(registryAddress, tokenFile, `/api/v1/srr/metadata/${tokenFile}`, reply),
  );

  get(`${vendor}/srr/metadata/:contractAddress/:tokenFile`, (params, _request, reply) => {
    const { contractAddress = '', tokenFile = '' } = params;
    const contract = readAddress(contractAddress, 'contractAddress');
    return metadataOf(contract, tokenFile, `/api/v1/srr/metadata/${contractAddress}/${tokenFile}`, reply);
  });

  // Where the token URI of a record with a digest points to.
  get('/api/v1/metadata/:digestFile', async ({ digestFile = '' }, _request, reply) => {
    const [, digest] = /^(0x[0-9a-fA-F]{64})\.json$/.exec(digestFile) ?? [];
    return document(digest, `/api/v1/metadata/${digestFile}`, reply);
  });

  async function oneRecord(contract: Address, tokenId: bigint) {
    const record = await index.record(contract, tokenId);
    if (record === undefined)
      throw new ServiceError(404, `SRR not found: ${contract.toLowerCase()}-${tokenId}`);
    return recordShape(record, registryAddress);
  }

  async function metadataOf(contract: Address, tokenFile: string, path: string, reply: FastifyReply) {
    const [, tokenId] = /^(\d{1,78})\.json$/.exec(tokenFile) ?? [];
    const record = tokenId === undefined ? undefined : await index.record(contract, BigInt(tokenId));
    return document(record?.metadataDigest ?? undefined, path, reply);
  }

  /** The bytes as they were published: whoever knows the name can check them. */
  async function document(name: string | undefined, path: string, reply: FastifyReply) {
    const text = name === undefined ? undefined : await documents.text(name);
    if (text === undefined) throw cannotGet(path);
    return reply.type('application/json; charset=utf-8').send(text);
  }

  function get(
    url: string,
    answer: (params: Params, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void {
    server.route<{ Params: Params }>({
      method: ['GET', 'OPTIONS'],
      url,
      handler: (request, reply) => answer(request.params, request as FastifyRequest, reply),
    });
  }
}

function cannotGet(path: string): ServiceError {
  return new ServiceError(404, `Cannot GET ${path}`);
}
