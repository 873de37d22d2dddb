import { STATUS_CODES } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import { type JsonSchema, JsonSchemas } from '../operations/json-schema.ts';
import type { Operation } from '../operations/operations.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import { examples } from './examples.ts';
import { credentials, header, headers, problemSchemas, securitySchemes } from './openapi-parts.ts';
import { uploadPaths } from './upload-paths.ts';

/** The routes of plain HTTP, and their description. */
export interface RestInterface {
  endpoints: readonly Endpoint[];
  /** The OpenAPI 3.1 document, as text. */
  openApi: string;
}

/** Makes the routes and their description from the trusted documents and the GraphQL schema. */
export function restInterface(
  schema: GraphQLSchema,
  operations: ReadonlyMap<string, Operation>,
): RestInterface {
  const schemas = new JsonSchemas('#/components/schemas/');
  const endpoints = endpointsOf(schema, operations, schemas);
  const paths: Record<string, object> = {};
  for (const endpoint of endpoints)
    paths[endpoint.path] = { ...paths[endpoint.path], ...pathItem(endpoint, schemas) };
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'srr-gateway: plain HTTP',
      summary: 'Registry records without GraphQL.',
      description:
        'Each route answers from one GraphQL document, with the limits, scopes and errors of GraphQL at `/graphql`.',
      license: { name: 'MIT', identifier: 'MIT' },
      version: '1.0.0',
    },
    servers: [{ url: '.', description: 'The gateway that serves this document.' }],
    tags: [
      { name: 'records', description: 'Registry records. They are public.' },
      { name: 'issuances', description: 'Issuances of the credentials’ issuer.' },
      { name: 'files', description: 'Files of the issuer, for the metadata of records.' },
    ],
    paths: { ...paths, ...uploadPaths },
    components: {
      schemas: { ...sorted(schemas.definitions), ...problemSchemas },
      securitySchemes,
      headers,
    },
  };
  return { endpoints, openApi: `${JSON.stringify(document, null, 2)}\n` };
}

const sorted = (definitions: Record<string, JsonSchema>) =>
  Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));

function pathItem(endpoint: Endpoint, schemas: JsonSchemas) {
  const { method, path, operation, variables, inPath, isPrivate, problems, shape } = endpoint;
  const example = examples[operation.name];
  const query = method === 'GET' ? variables.filter((one) => one !== inPath) : [];
  const parameters = [...(inPath ? [inPath] : []), ...query].map((one) => {
    const { description, ...schema } = schemas.variable(one);
    return {
      name: one.name,
      in: one === inPath ? 'path' : 'query',
      required: one === inPath,
      description,
      schema,
      ...(example?.parameters?.[one.name] !== undefined && { example: example.parameters[one.name] }),
    };
  });
  const [summary = ''] = operation.description.split(/(?<=\.)\s/);
  // The answer also lists its parts whose source is down.
  const schema = { allOf: [shape.schema, { $ref: '#/components/schemas/Incomplete' }] };
  const content = { 'application/json': { schema, ...(example && { example: shape.show(example.answer) }) } };
  return {
    [method.toLowerCase()]: {
      operationId: `${operation.name.charAt(0).toLowerCase()}${operation.name.slice(1)}`,
      tags: [path.split('/')[1]],
      summary,
      description: operation.description,
      ...(parameters.length > 0 && { parameters }),
      ...(method === 'POST' && {
        requestBody: {
          required: true,
          content: { 'application/json': { schema: schemas.object(variables), example: example?.body } },
        },
      }),
      responses: { ...successes(endpoint, content), ...problemResponses(problems) },
      security: isPrivate ? credentials : [{}, ...credentials],
    },
  };
}

function successes({ method, paged }: Endpoint, content: object) {
  const headers = {
    ...header('RateLimit', 'RateLimit-Policy'),
    ...(paged && header('Link')),
    ...(method === 'POST' && header('Location')),
  };
  if (method === 'GET') return { 200: { description: 'The requested data.', headers, content } };
  return {
    200: {
      description: 'The issuance of an earlier call with this requestId. It has ended.',
      headers,
      content,
    },
    202: {
      description: 'The issuance is stored, and the gateway works on it. Follow it at Location.',
      headers,
      content,
    },
  };
}

const problemResponses = (statuses: readonly number[]) =>
  Object.fromEntries([
    ...[...statuses, 429].map((status) => [
      status,
      {
        description: STATUS_CODES[status],
        ...(status === 429 && { headers: header('Retry-After') }),
        content: problemContent,
      },
    ]),
    [
      'default',
      { description: 'Any other problem, such as a source that is down.', content: problemContent },
    ],
  ]);

const problemContent = {
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};
