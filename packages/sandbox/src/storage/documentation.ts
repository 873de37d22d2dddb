import { z } from 'zod';

/** The storage host's entries in the OpenAPI document; its bodies are bytes and its errors XML. */

const tags = ['Storage'];
const documentedPath = '/storage/:bucket/:issuer/:category/:filename';
/**
 * `catch`: validation lets a missing or malformed signature pass, because the storage host answers it in XML.
 */
const signature = z.object({
  Expires: z.string().optional().catch(undefined).describe('The value from the signed URL.'),
  Signature: z.string().optional().catch(undefined).describe('The value from the signed URL.'),
});
const bytes = { description: 'The bytes.', content: { '*/*': { schema: z.string() } } };
const refused = (description: string) => ({
  description,
  content: { 'application/xml': { schema: z.string() } },
});
const forbidden = refused('The signature is missing, has expired, or is of another request.');
const notFound = refused('There is no object of this name.');
const unavailable = refused('Only by a fault.');
const notInRange = refused('The range lies outside of the object.');

export const upload = {
  config: { documentedPath },
  schema: {
    operationId: 'uploadFile',
    tags,
    summary: '2. Upload a file',
    description:
      'Use the whole signed `url` of signUrls, because its query is the authorization. Content-Type must be the returned one.',
    querystring: signature,
    // The framework does not read the body, so that the handler can stream it.
    body: z.unknown().meta({ type: 'string' }),
    consumes: ['text/plain', 'application/octet-stream'],
    response: {
      200: z.null().describe('The file is stored.'),
      400: refused('The object is too large.'),
      403: forbidden,
      412: refused('A used name cannot take new content.'),
      503: unavailable,
    },
  },
};

export const readSigned = {
  config: { documentedPath },
  schema: {
    operationId: 'readFile',
    tags,
    summary: 'Read a stored file by signature',
    description:
      'The signature includes the Content-Type of the request; that of the example is for a request without one.',
    querystring: signature,
    response: { 200: bytes, 403: forbidden, 404: notFound, 416: notInRange, 503: unavailable },
  },
};

export const readPublic = {
  config: { documentedPath: '/static/:issuer/:category/:filename' },
  schema: {
    operationId: 'readPublicFile',
    tags,
    summary: 'Read a public file by its finalUrl',
    response: { 200: bytes, 404: notFound, 416: notInRange, 503: unavailable },
  },
};
