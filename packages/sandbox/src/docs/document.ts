import type { SwaggerTransform } from '@fastify/swagger';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Examples } from './examples.ts';

type Document = OpenAPIV3_1.Document;
type Operation = OpenAPIV3_1.OperationObject;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path for the OpenAPI document, where the route's pattern is less clear. */
    documentedPath?: string;
  }
}

const introduction = `A complete local issuance service. Every endpoint can be tried here: the play key of the
default issuer is filled in. The recommended order is the numbered one: sign, upload, ask for hash and cid, issue.
\`GET /sandbox\` has all other play keys; they open nothing but a sandbox.`;

const tags = ['Commerce API', 'Storage', 'Public reads', 'Subgraph', 'IPFS gateway', 'Test mode'];

/** Makes `server.swagger()` the OpenAPI document of the routes that are registered from now on. */
export async function documentRoutes(server: FastifyInstance): Promise<void> {
  await server.register(swagger, {
    // OpenAPI 3.1 has `const`.
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Issuance service sandbox',
        version: '1.3.0',
        description: introduction.replaceAll('\n', ' '),
      },
      tags: tags.map((name) => ({ name })),
    },
    transform,
  });
}

const toJsonSchema = createJsonSchemaTransform({
  zodToJsonConfig: {
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // A response allows further fields, because the service may add some at any time.
      if (def.type === 'object' && !('catchall' in def && def.catchall))
        delete jsonSchema.additionalProperties;
    },
  },
});

const transform: SwaggerTransform = (route) => {
  const { schema, url } = toJsonSchema(route);
  return { schema, url: route.route.config?.documentedPath ?? url };
};

/** The document with an address to send requests to, and with examples filled in by `operationId`. */
export function withExamples(document: Document, examples: Examples, origin: string): Document {
  const { paths = {}, ...rest } = structuredClone(document);
  for (const path of Object.values(paths)) {
    // HEAD and OPTIONS need no description.
    delete path?.head;
    delete path?.options;
    for (const operation of Object.values(path ?? {})) fillIn(operation as Operation, examples);
  }
  return { ...rest, paths, servers: [{ url: origin }] };
}

function fillIn({ operationId = '', parameters = [], requestBody }: Operation, examples: Examples): void {
  const example = examples[operationId];
  for (const parameter of parameters as OpenAPIV3_1.ParameterObject[]) {
    const value = example?.parameters?.[parameter.name];
    if (value !== undefined) parameter.schema = { ...parameter.schema, default: value };
  }
  if (requestBody && 'content' in requestBody)
    for (const media of Object.values(requestBody.content)) media.example = example?.body;
}
