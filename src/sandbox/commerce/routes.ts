import type { FastifyInstance } from 'fastify';
import type { Address } from '../../lib/address.ts';
import type { Clock } from '../clock.ts';
import { authenticator } from '../http/authentication.ts';
import { refuseUnstorable } from '../http/body-guard.ts';
import { requireJson } from '../http/json-headers.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Directory } from '../licensing/directory.ts';
import type { SandboxSettings } from '../settings.ts';
import type { Signatures } from '../storage/signature.ts';
import type { Storage } from '../storage/storage.ts';
import { readIssueRequest } from './body/issue-request.ts';
import { type CollectionsOptions, createCollection } from './collections.ts';
import { fileInformation } from './file-metadata.ts';
import type { Issuing } from './issue/issuing.ts';
import { signUrls } from './signed-urls.ts';

export interface CommerceRoutes {
  directory: Directory;
  storage: Storage;
  signatures: Signatures;
  clock: Clock;
  issuing: Issuing;
  collections: CollectionsOptions;
  origin(): string;
  missingFiles: SandboxSettings['missingFiles'];
}

type Answer = (issuer: Address, body: unknown) => Promise<unknown> | unknown;

/** The commerce API, at the document's own paths. */
export async function commerceRoutes(server: FastifyInstance, options: CommerceRoutes): Promise<void> {
  const { storage, signatures, clock, issuing, collections, origin } = options;
  server.decorateRequest('issuer', '0x');
  server.addHook('onRequest', authenticator(options.directory));
  server.addHook('onRequest', requireJson);
  server.addHook('preValidation', async ({ body }) => refuseUnstorable(body));

  post('signedUrls', 201, (issuer, body) => signUrls(issuer, body, { signatures, clock, origin: origin() }));
  post('fileMetadata', 200, (issuer, body) => fileInformation(issuer, body, storage));
  post('srrs', 201, async (issuer, body) => ({
    results: await issuing.accept(issuer, readIssueRequest(body)),
  }));
  post('collection', 201, (issuer, body) => createCollection(issuer, body, collections));

  function post(route: string, status: number, answer: Answer): void {
    server.post(`/port/api/v1/commerce/${route}`, async (request, reply) => {
      try {
        return reply.code(status).send(await answer(request.issuer, request.body));
      } catch (error) {
        // The other form of the 404 that the document allows: the bare list.
        if (options.missingFiles === 'array' && error instanceof ServiceError && error.statusCode === 404)
          return reply.code(404).send(error.detail);
        throw error;
      }
    });
  }
}
