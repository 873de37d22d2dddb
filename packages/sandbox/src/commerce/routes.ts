import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { SandboxSettings } from '../config/settings.ts';
import { refuseUnstorable } from '../http/body-guard.ts';
import { issueRefusals, refusals } from '../http/refusals.ts';
import type { Clock } from '../lib/clock.ts';
import type { Directory } from '../licensing/directory.ts';
import type { Signatures } from '../storage/signature.ts';
import type { Storage } from '../storage/storage.ts';
import { collectionRequest } from './body/collection-request.ts';
import type { JsonSchema } from './body/fields.ts';
import { fileMetadataRequest, signingRequest } from './body/file-keys.ts';
import { issueRequest } from './body/issue-request.ts';
import { acceptedCollection, type CollectionsOptions, createCollection } from './collections.ts';
import { fileMetadata, fileMetadataShapes, missingFiles, readFileMetadata } from './file-metadata.ts';
import { acceptedSrrs, type Issuing } from './issue/issuing.ts';
import { authenticator, credentials, requireJson } from './request-headers.ts';
import { signedUrls, signUrls } from './signed-urls.ts';

/** Dependencies of the routes of the commerce API. */
interface CommerceRoutes {
  directory: Directory;
  storage: Storage;
  signatures: Signatures;
  clock: Clock;
  issuing: Issuing;
  collections: CollectionsOptions;
  /** One for each accepted version of metadata. */
  metadataSchemas: JsonSchema[];
  origin(): string;
  missingFiles: SandboxSettings['missingFiles'];
  /** Read at each request, because it can be changed at run time. */
  runtime: { fileMetadataShape: keyof typeof fileMetadataShapes };
}

const base = '/port/api/v1/commerce';

/** The part of the route schemas that all endpoints share. */
const common = { tags: ['Commerce API'], headers: credentials };
const { 400: invalid, 401: unauthorised, 502: gateway } = refusals;
const refused = { 400: invalid, 401: unauthorised, 502: gateway };

/** Registers the commerce API at the paths that the document gives. */
export async function commerceRoutes(server: FastifyInstance, options: CommerceRoutes): Promise<void> {
  const { storage, signatures, clock, issuing, collections, origin, runtime } = options;
  server.decorateRequest('issuer', '0x');
  server.addHook('onRequest', authenticator(options.directory));
  server.addHook('onRequest', requireJson);
  server.addHook('preValidation', async ({ body }) => refuseUnstorable(body));
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.post(
    `${base}/signedUrls`,
    {
      schema: {
        ...common,
        operationId: 'signUrls',
        summary: '1. Request signed URLs',
        description:
          'One entry per file. PUT each file to its `url` within 15 minutes, with its `contentType`; keep its `finalUrl`.',
        body: signingRequest,
        response: { 201: signedUrls, ...refused },
      },
    },
    async ({ issuer, body }, reply) =>
      reply.code(201).send(signUrls(issuer, body, { signatures, clock, origin: origin() })),
  );

  routes.post(
    `${base}/fileMetadata`,
    {
      schema: {
        ...common,
        operationId: 'fileMetadata',
        summary: '3. Get the hash and cid of files',
        description:
          'While they are calculated, `message` is `HASH_STILL_IN_CALCULATION`. If files are missing, a 404 lists only these.',
        body: fileMetadataRequest,
        response: { 200: fileMetadata, ...refused, 404: missingFiles },
      },
    },
    async ({ issuer, body }, reply) => {
      const found = await readFileMetadata(issuer, body, storage);
      if ('results' in found) return fileMetadataShapes[runtime.fileMetadataShape](found.results);
      const { missing } = found;
      return reply
        .code(404)
        .send(options.missingFiles === 'array' ? missing : { statusCode: 404, message: missing });
    },
  );

  routes.post(
    `${base}/srrs`,
    {
      schema: {
        ...common,
        operationId: 'issueSrrs',
        summary: '4. Issue records',
        description:
          'Records are accepted at once and mined later; a webhook reports the outcome. A batch is issued as a whole or not at all.',
        body: issueRequest(options.metadataSchemas),
        response: { 201: acceptedSrrs, ...refused, ...issueRefusals },
      },
    },
    async ({ issuer, body }, reply) => reply.code(201).send(await issuing.accept(issuer, body)),
  );

  routes.post(
    `${base}/collection`,
    {
      schema: {
        ...common,
        operationId: 'createCollection',
        summary: 'Create a collection',
        description:
          'The address follows from the salt, so it is known at once. The outcome comes by webhook.',
        body: collectionRequest,
        response: { 201: acceptedCollection, ...refused },
      },
    },
    async ({ issuer, body }, reply) =>
      reply.code(201).send(await createCollection(issuer, body, collections)),
  );
}
