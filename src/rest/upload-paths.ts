import { fileCategories } from '../model/file.ts';
import { credentials } from './openapi-parts.ts';

const category = {
  name: 'category',
  in: 'path',
  required: true,
  description: 'The category of the file in lower case; bodies of issuances have it in upper case.',
  schema: { type: 'string', enum: fileCategories },
  example: 'artwork',
};
const filename = {
  name: 'filename',
  in: 'path',
  required: true,
  description: 'The name of the file, with an extension and without spaces. Each issuer can use a name once.',
  schema: { type: 'string' },
  example: 'glass-orchard.jpg',
};
const bytes = { '*/*': { schema: { type: 'string', format: 'binary' } } };
const refused = {
  description: 'Why the request was refused.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          error: {
            type: 'object',
            properties: { code: { type: 'string' }, message: { type: 'string' } },
            required: ['code', 'message'],
          },
        },
        required: ['error'],
      },
      example: {
        error: {
          code: 'UNAUTHENTICATED',
          message: 'Send the same credentials as to GraphQL: a bearer token.',
        },
      },
    },
  },
};
/** The files of an issuer. No GraphQL document serves them: `src/server/routes/uploads.ts` streams their bytes. */
export const uploadPaths = {
  '/uploads/{category}/{filename}': {
    parameters: [category, filename],
    put: {
      operationId: 'putFile',
      tags: ['files'],
      summary: 'Stores a file at the issuance service.',
      description:
        'Streams the bytes to the storage. A record names the file afterwards by `{"file": {"category": "ARTWORK", "filename": "glass-orchard.jpg"}}`. Content-Type must match the extension. Scope: upload.',
      requestBody: { required: true, content: bytes },
      responses: {
        200: {
          description: 'The file is stored.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  stored: {
                    type: 'object',
                    properties: {
                      category: { type: 'string', enum: fileCategories },
                      filename: { type: 'string' },
                    },
                    required: ['category', 'filename'],
                  },
                },
                required: ['stored'],
              },
              example: { stored: { category: 'artwork', filename: 'glass-orchard.jpg' } },
            },
          },
        },
        default: refused,
      },
      security: credentials,
    },
    get: {
      operationId: 'getFile',
      tags: ['files'],
      summary: 'Returns the bytes of a file of the issuer.',
      description: 'Ranges are supported. Scope: read or upload.',
      responses: {
        200: { description: 'The file.', content: bytes },
        206: { description: 'The requested range.', content: bytes },
        default: refused,
      },
      security: credentials,
    },
  },
};
