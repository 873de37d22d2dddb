import { randomBytes, randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import type { Clock } from '../lib/clock.ts';
import type { World } from '../licensing/participants.ts';
import { type FileLocation, isPublic, objectPath } from '../storage/file-location.ts';
import type { Signatures } from '../storage/signature.ts';
import type { ExampleValues } from './example-values.ts';

/** Values that are filled in when a person tries an operation. */
export interface Example {
  /** By name, whether in a header, the path or the query. */
  parameters?: Record<string, string>;
  body?: unknown;
}

/** The examples, by `operationId`. */
export type Examples = Readonly<Record<string, Example>>;

/** Inputs of the examples besides the values of the database. */
export interface ExampleContext {
  world: World;
  registryAddress: Address;
  signatures: Signatures;
  clock: Clock;
}

/** Values with which every operation works unchanged. Those that can be used only once are always new. */
export function examplesOf(live: ExampleValues, context: ExampleContext): Examples {
  const { world, registryAddress } = context;
  const [issuer] = world.issuers;
  const [buyer] = world.buyers;
  if (!issuer || !buyer) throw new Error('every world has an issuer and a buyer');
  const fresh = randomUUID();
  const file = live.file ?? { filename: `note-${fresh}.txt`, category: 'non_attachment_file' as const };
  const newFile = { filename: `note-${fresh}.txt`, category: 'non_attachment_file' as const };
  const stored = { issuer: issuer.address, ...file };
  const credentials = { 'commerce-api-key': issuer.apiKey, 'issuer-address': issuer.address };
  const commerce = (body: object): Example => ({ parameters: credentials, body });
  const { tokenId } = live;
  const tokenFile = `${live.legacyTokenId}.json`;
  return {
    signUrls: commerce({ action: 'write', payload: [newFile] }),
    fileMetadata: commerce({ payload: [file] }),
    issueSrrs: commerce({ requestId: fresh, payload: [entry(fresh, live, world)] }),
    createCollection: commerce({ payload: { name: 'Try-outs', symbol: 'TRY' } }),
    readMetadataSchema: { parameters: { file: 'registry-record-metadata.v2.2.schema.json' } },
    uploadFile: {
      parameters: signed('PUT', { issuer: issuer.address, ...newFile }, 'text/plain', context),
      body: 'A note.',
    },
    readFile: { parameters: signed('GET', stored, '', context) },
    readPublicFile: { parameters: { ...stored } },
    readContent: { parameters: { cid: live.imageCid } },
    querySubgraph: { body: { query: newestRecords } },
    listCollections: { parameters: { address: issuer.address } },
    listOwnedSrrs: { parameters: { ownerAddress: buyer.address } },
    readSrr: { parameters: { collectionContractAddress: registryAddress, tokenId } },
    readRegistrySrr: { parameters: { tokenId } },
    readRegistryMetadata: { parameters: { tokenFile } },
    readMetadata: { parameters: { contractAddress: registryAddress, tokenFile } },
    readMetadataByDigest: { parameters: { digestFile: `${live.digest}.json` } },
    changeSettings: { body: { hashDelayMs: 1000 } },
    armFault: { body: { kind: 'issue', externalId: fresh, effect: 'entryUnknown' } },
    provisionFile: {
      body: {
        issuer: issuer.address,
        filename: `certificate-${fresh}.txt`,
        category: 'certificate',
        content: Buffer.from('A certificate.').toString('base64'),
      },
    },
    makeUpDelivery: {
      body: {
        issuer: issuer.address,
        type: 'issue_failed',
        data: [{ externalId: fresh, message: 'nothing is wrong' }],
      },
    },
    deliverAgain: { parameters: { id: live.deliveryId } },
    recordHistory: {
      body: { type: 'exhibition', name: 'Summer rooms', metadataCID: live.imageCid, records: [{ tokenId }] },
    },
    transferRecord: { body: { tokenId, to: buyer.address } },
    reserveTransfer: { body: { tokenId, commitment: `0x${randomBytes(32).toString('hex')}` } },
    reorganise: { body: { depth: 1 } },
  };
}

const newestRecords =
  '{ srrs(first: 3, orderBy: createdAt, orderDirection: desc) { tokenId metadataDigest ownerAddress artist { englishName } } _meta { block { number } } }';

function entry(fresh: string, { imageCid }: ExampleValues, { artists, buyers }: World) {
  const image = `ipfs://${imageCid}`;
  return {
    externalId: fresh,
    artistAddress: artists[0]?.address,
    isPrimaryIssuer: true,
    lockExternalTransfer: false,
    to: buyers[0]?.address,
    metadata: {
      $schema: 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay',
      name: `Try-out ${fresh}`,
      title: { en: 'Try-out', ja: '試作' },
      medium: { en: 'Ink on paper' },
      yearOfCreation: { en: '2026' },
      thumbnailURL: image,
      image,
    },
  };
}

/** The path and query parameters of a signed URL. */
function signed(
  method: 'GET' | 'PUT',
  location: FileLocation,
  contentType: string,
  { signatures, clock }: ExampleContext,
): Record<string, string> {
  const query = signatures.query({ method, path: objectPath(location), contentType }, clock.now());
  return {
    bucket: isPublic(location.category) ? 'public' : 'private',
    ...location,
    ...Object.fromEntries(new URLSearchParams(query)),
  };
}
