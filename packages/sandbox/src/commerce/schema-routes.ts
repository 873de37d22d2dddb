import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { allowAnyOrigin } from '../http/cors.ts';
import { refusals } from '../http/refusals.ts';
import { cannotGet } from '../http/service-error.ts';
import { type SchemaDocuments, schemaFile } from './metadata/versions.ts';

/** Serves `GET {base_url}/api/v1/schema/<file>`, to which `$schema` addresses point. Needs no key. */
export async function schemaRoutes(
  server: FastifyInstance,
  { schemas }: { schemas: SchemaDocuments },
): Promise<void> {
  allowAnyOrigin(server, 'GET, HEAD');
  const texts = new Map(Object.values(schemas).map(({ version, text }) => [schemaFile(version), text]));
  server.route<{ Params: { file: string } }>({
    method: ['GET', 'HEAD', 'OPTIONS'],
    url: '/api/v1/schema/:file',
    schema: {
      operationId: 'readMetadataSchema',
      tags: ['Commerce API'],
      summary: 'A version of the metadata schema',
      response: {
        200: {
          description: 'The JSON Schema.',
          content: { 'application/schema+json': { schema: z.looseObject({}) } },
        },
        404: refusals[404],
      },
    },
    handler: async ({ params }, reply) => {
      const text = texts.get(params.file);
      if (text === undefined) throw cannotGet(`/api/v1/schema/${params.file}`);
      return reply.type('application/schema+json; charset=utf-8').send(text);
    },
  });
}
