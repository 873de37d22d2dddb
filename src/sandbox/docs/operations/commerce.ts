import { categories } from '../../store/tables.ts';
import {
  address,
  flag,
  integer,
  list,
  type Operation,
  type Operations,
  object,
  orNull,
  refusals,
  text,
} from '../operation.ts';

/** Values with which every request of the page works as it stands. */
export interface Examples {
  artist: string;
  buyer: string;
  /** ipfs:// address of a picture. */
  image: string;
  /** Stands for a value that is new each time the document is read. */
  fresh: string;
  metadataSchema: Record<string, unknown>;
}

const category = { enum: categories };
const fileKey = object({
  filename: { type: 'string', description: 'With an extension and without a space.' },
  category,
});
const tag = 'Commerce API';

function commerce(operation: Omit<Operation, 'tag' | 'authenticated'>): Operation {
  const { 400: invalid, 401: unauthorised, 502: gateway } = refusals;
  return {
    tag,
    authenticated: true,
    ...operation,
    answers: { ...operation.answers, 400: invalid, 401: unauthorised, 502: gateway },
  };
}

export function commerceOperations({ artist, buyer, image, fresh, metadataSchema }: Examples): Operations {
  const filename = `picture-${fresh}.png`;
  return {
    'POST /port/api/v1/commerce/signedUrls': commerce({
      summary: '1. Request signed URLs',
      description:
        'One entry per file. PUT each file to its `url` within 15 minutes, with its `contentType`; keep its `finalUrl`.',
      body: {
        schema: object({ action: { enum: ['write', 'read'] }, payload: list(fileKey) }),
        example: { action: 'write', payload: [{ filename, category: 'non_attachment_file' }] },
      },
      answers: {
        201: {
          description: 'In the order of the request.',
          schema: object({
            results: list(object({ filename: text, contentType: text, url: text, finalUrl: text })),
          }),
        },
      },
    }),
    'POST /port/api/v1/commerce/fileMetadata': commerce({
      summary: '3. Ask for hash and cid of files',
      description:
        'While they are calculated, `message` is `HASH_STILL_IN_CALCULATION`. Missing files alone are listed in a 404.',
      body: {
        schema: object({ payload: list(fileKey) }),
        example: { payload: [{ filename, category: 'non_attachment_file' }] },
      },
      answers: {
        200: {
          description: 'In the order of the request.',
          schema: object({
            results: list(
              object({ filename: text }, { hash: text, cid: text, size: integer, message: text }),
            ),
          }),
        },
        404: {
          description: 'Files that are not in storage, as `message` of the envelope or as a bare list.',
          schema: {
            anyOf: [
              object({ statusCode: integer, message: list(object({ index: integer, filePath: text })) }),
              list(object({ index: integer, filePath: text })),
            ],
          },
        },
      },
    }),
    'POST /port/api/v1/commerce/srrs': commerce({
      summary: '4. Issue records',
      description:
        'Accepted at once, mined later: the outcome comes by webhook. A batch is issued as a whole or not at all.',
      body: {
        schema: object(
          { payload: { ...list(entry(metadataSchema)), minItems: 1 } },
          { requestId: { type: 'string', description: 'Idempotency key, unique per issuer.' } },
        ),
        example: {
          requestId: fresh,
          payload: [
            {
              externalId: fresh,
              artistAddress: artist,
              isPrimaryIssuer: true,
              lockExternalTransfer: false,
              to: buyer,
              metadata: {
                $schema: 'ipfs://bafkreibebzcktpolubbklh73mxkxswkf3nagmvgq3tsnp33xsi6bbye5ay',
                name: `Try-out ${fresh}`,
                title: { en: 'Try-out', ja: '試作' },
                medium: { en: 'Ink on paper' },
                yearOfCreation: { en: '2026' },
                thumbnailURL: image,
                image,
              },
            },
          ],
        },
      },
      answers: {
        201: {
          description: 'Accepted, in the order of the request.',
          schema: object({
            results: list(
              object({
                status: { const: 'waiting_for_mining' },
                externalId: text,
                srr: object({
                  tokenId: text,
                  metadataCID: text,
                  metadataURL: text,
                  collectionContractAddress: orNull(address),
                }),
              }),
            ),
          }),
        },
        500: refusals[500],
      },
    }),
    'POST /port/api/v1/commerce/collection': commerce({
      summary: 'Create a collection',
      description: 'The address follows from the salt, so it is known at once. The outcome comes by webhook.',
      body: {
        schema: object({
          payload: object(
            { name: text, symbol: text },
            {
              salt: {
                type: 'string',
                pattern: '^0x[0-9a-fA-F]{64}$',
                description: 'Drawn at random when absent. Each works once.',
              },
            },
          ),
        }),
        example: { payload: { name: 'Try-outs', symbol: 'TRY' } },
      },
      answers: {
        201: {
          description: 'Sent to the chain.',
          schema: object({
            result: object({
              name: text,
              symbol: text,
              collectionAddress: address,
              status: { const: 'waiting_for_mining' },
            }),
          }),
        },
      },
    }),
    'GET /api/v1/schema/:file': {
      tag,
      summary: 'A version of the metadata schema',
      params: { file: { example: 'registry-record-metadata.v2.2.schema.json' } },
      answers: {
        200: {
          description: 'The JSON Schema.',
          contentType: 'application/schema+json',
          schema: { type: 'object' },
        },
        404: refusals[404],
      },
    },
  };
}

function entry(metadata: Record<string, unknown>) {
  return object(
    { externalId: text, metadata, artistAddress: address, isPrimaryIssuer: flag, lockExternalTransfer: flag },
    {
      to: address,
      collectionAddress: address,
      attachmentFiles: list(
        object({
          name: text,
          category: { enum: categories.filter((name) => name !== 'non_attachment_file') },
          url: text,
        }),
      ),
      externalUrls: { ...list(text), deprecated: true },
    },
  );
}
