import { type Operations, object, text } from '../operation.ts';

const objectPath = {
  bucket: { description: '`public` or `private`, by category.', example: 'public' },
  issuer: {},
  category: { example: 'non_attachment_file' },
  filename: {},
};
const bytes = { type: 'string', format: 'binary' };
const storageError = { description: 'The storage’s own error, as XML.', contentType: 'application/xml' };

/** Files, content, index: the surfaces that need no key. */
export function surfaceOperations(exampleCid: string): Operations {
  return {
    'PUT /storage/*': {
      tag: 'Storage',
      summary: '2. Upload a file',
      description:
        'Take the whole signed `url` of signedUrls: its query is the authorization. Content-Type must be the one that was returned.',
      path: '/storage/:bucket/:issuer/:category/:filename',
      params: objectPath,
      query: {
        Expires: { description: 'From the signed URL.' },
        Signature: { description: 'From the signed URL.' },
      },
      body: { schema: bytes, contentType: 'application/octet-stream' },
      answers: { 200: { description: 'Stored.' }, 400: storageError, 403: storageError, 412: storageError },
    },
    'GET /storage/*': {
      tag: 'Storage',
      summary: 'Read a stored file by signature',
      path: '/storage/:bucket/:issuer/:category/:filename',
      params: objectPath,
      query: {
        Expires: { description: 'From the signed URL.' },
        Signature: { description: 'From the signed URL.' },
      },
      answers: { 200: { description: 'The bytes.' }, 403: storageError },
    },
    'GET /static/*': {
      tag: 'Storage',
      summary: 'Read a public file by its finalUrl',
      path: '/static/:issuer/:category/:filename',
      params: { issuer: {}, category: { example: 'non_attachment_file' }, filename: {} },
      answers: { 200: { description: 'The bytes.' }, 404: storageError },
    },
    'GET /ipfs/*': {
      tag: 'IPFS gateway',
      summary: 'Content by its CID',
      path: '/ipfs/:cid',
      params: { cid: { example: exampleCid } },
      query: {
        format: {
          schema: { enum: ['raw', 'car'] },
          description: 'Absent: the file itself. Blocks and CARs can be checked by whoever asks.',
        },
      },
      answers: {
        200: { description: 'The content; immutable.' },
        404: { description: 'Not in this gateway.' },
      },
    },
    'POST /subgraph': {
      tag: 'Subgraph',
      summary: 'Query the index',
      description:
        'GraphQL in the dialect of graph-node. Answers 200 to every query, also to one that fails.',
      body: {
        schema: object({ query: text }, { variables: { type: 'object' }, operationName: text }),
        example: {
          query:
            '{ srrs(first: 3, orderBy: createdAt, orderDirection: desc) { tokenId metadataDigest ownerAddress artist { englishName } } _meta { block { number } } }',
        },
      },
      answers: {
        200: {
          description: 'Data, errors, or both.',
          schema: object({}, { data: {}, errors: { type: 'array' } }),
        },
        400: { description: 'No query.', schema: object({ error: text }) },
      },
    },
  };
}
