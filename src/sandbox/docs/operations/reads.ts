import { ownedQuery } from '../../reads/parameters.ts';
import {
  address,
  flag,
  integer,
  type JsonSchema,
  list,
  type Operations,
  object,
  orNull,
  queryOf,
  refusals,
  text,
  time,
} from '../operation.ts';

const tag = 'Public reads';
const user = object({
  id: text,
  walletAddress: address,
  salt: text,
  owners: list(address),
  originalName: text,
  englishName: text,
  userType: { enum: ['handler', 'artist'] },
  threshold: integer,
  createdAt: time,
  updatedAt: time,
});
const collectionFacts = { name: text, symbol: text, ownerAddress: address, createdAt: time, updatedAt: time };
const occasion = object({ id: text, name: text, metadataDigest: text, historyType: text });
const provenance = object({
  timestamp: time,
  from: address,
  to: address,
  metadataDigest: text,
  metadataURI: text,
  customHistory: orNull(occasion),
  isIntermediary: orNull(flag),
  sender: orNull(address),
  createdAt: time,
});

const recordProperties: Record<string, JsonSchema> = {
  id: { type: 'string', description: '`<contract in lower case>-<tokenId>`' },
  tokenId: text,
  ownerAddress: address,
  isPrimaryIssuer: orNull(flag),
  artistAddress: orNull(address),
  metadataDigest: {
    ...orNull(text),
    description: 'A CID, or 0x and 64 hex digits for records from before 2023.',
  },
  transferCommitment: orNull(text),
  lockExternalTransfer: orNull(flag),
  royaltyReceiver: orNull(address),
  royaltyBasisPoints: orNull(integer),
  createdAt: time,
  updatedAt: time,
  issuer: orNull(user),
  artist: orNull(user),
  collection: orNull(object({ id: text, ...collectionFacts })),
  metadataHistory: list(object({ metadataDigest: text, createdAt: time })),
  provenance: list(provenance),
};
const record = object(recordProperties);
const owned = object({
  ...recordProperties,
  metadata: { description: 'The document exactly as published; null when it is not here.' },
  history: list(object({ customHistory: orNull(occasion), createdAt: time })),
  transfers: list(provenance),
});

export interface ReadExamples {
  vendorPath: string;
  issuer: string;
  owner: string;
  registry: string;
  tokenId: string;
  legacyTokenId: string;
  digest: string;
}

/** Where the service's documents are silent, the descriptions name the sandbox's choice. */
export function readOperations(examples: ReadExamples): Operations {
  const vendor = `/${examples.vendorPath}/api/v1`;
  const one = {
    200: { description: 'The record as the index has it.', schema: record },
    400: refusals[400],
    404: refusals[404],
    502: refusals[502],
  };
  const document = {
    200: { description: 'The metadata, byte for byte.', schema: { type: 'object' } },
    404: refusals[404],
  };
  return {
    [`GET ${vendor}/licensedUser/:address/collections`]: {
      tag,
      summary: 'Collections of a licensed user',
      description: 'Those that the wallet owns now, oldest first.',
      params: { address: { schema: address, example: examples.issuer } },
      answers: {
        200: {
          description: 'A bare list.',
          schema: list(object({ contractAddress: address, ...collectionFacts })),
        },
        404: {
          ...refusals[404],
          description: 'No such licensed user: `Cannot GET /api/v1/licensedUser/<address>/collections`.',
        },
        502: refusals[502],
      },
    },
    'GET /port/api/v1/ownerAddress/:ownerAddress/ownedSrrs': {
      tag,
      summary: 'Records of an owner, with their metadata',
      description:
        'Issued records only, in the order of their ids in the index, so that pages hold still. `offset` is not honoured. An owner without records gets an empty list (a choice).',
      params: { ownerAddress: { schema: address, example: examples.owner } },
      query: queryOf(ownedQuery),
      answers: {
        200: { description: 'A bare list.', schema: list(owned) },
        400: refusals[400],
        502: refusals[502],
      },
    },
    'GET /port/api/v1/collection/:collectionContractAddress/srr/:tokenId': {
      tag,
      summary: 'One record',
      description:
        'For a record without a collection the contract is the registry. A record that does not exist gives 404 with `SRR not found: <id>` (a choice).',
      params: {
        collectionContractAddress: { schema: address, example: examples.registry },
        tokenId: { schema: text, example: examples.tokenId },
      },
      answers: one,
    },
    'GET /port/api/v1/srr/:tokenId': {
      tag,
      summary: 'One record of the registry',
      deprecated: true,
      params: { tokenId: { schema: text, example: examples.tokenId } },
      answers: one,
    },
    [`GET ${vendor}/srr/metadata/:tokenFile`]: {
      tag,
      summary: 'Metadata of a record of the registry',
      description:
        'What its token URI leads to. The only way to metadata from before 2023, which is on no content network.',
      params: { tokenFile: { description: '`<tokenId>.json`', example: `${examples.legacyTokenId}.json` } },
      answers: document,
    },
    [`GET ${vendor}/srr/metadata/:contractAddress/:tokenFile`]: {
      tag,
      summary: 'Metadata of a record of any contract',
      params: {
        contractAddress: { schema: address, example: examples.registry },
        tokenFile: { description: '`<tokenId>.json`', example: `${examples.legacyTokenId}.json` },
      },
      answers: { ...document, 400: refusals[400] },
    },
    'GET /api/v1/metadata/:digestFile': {
      tag,
      summary: 'Metadata by its digest',
      description:
        'Where token URIs of records from before 2023 point to. The digest is the keccak-256 of the bytes (a choice).',
      params: { digestFile: { description: '`0x<64 hex digits>.json`', example: `${examples.digest}.json` } },
      answers: document,
    },
  };
}
