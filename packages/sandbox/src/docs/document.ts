import type { FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';
import { type JsonSchema, jsonSchemaOf } from '../http/definitions.ts';
import type { Examples } from './examples.ts';

/** An operation of the OpenAPI document, with its path and method. */
export interface Described {
  path: string;
  method: string;
  operation: Operation;
}

interface Operation extends Record<string, unknown> {
  operationId: string | undefined;
  parameters: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema; example?: unknown }> };
}

const introduction = `A complete local issuance service. Every endpoint can be tried here: the play key of the
default issuer is filled in. The recommended order is the numbered one: sign, upload, ask for hash and cid, issue.
\`GET /sandbox\` has all other play keys; they open nothing but a sandbox.`;

const tags = ['Commerce API', 'Storage', 'Public reads', 'Subgraph', 'IPFS gateway', 'Test mode'];

/** Returns a list that gets every route registered from now on, described by its definitions. */
export function describedRoutes(server: FastifyInstance): Described[] {
  const routes: Described[] = [];
  server.addHook('onRoute', ({ method, url, schema = {}, config }) => {
    if (schema.hide) return;
    const path = (config?.documentedPath ?? url).replace(/:(\w+)/g, '{$1}');
    // HEAD and OPTIONS need no description.
    for (const one of [method].flat().filter((name) => name !== 'HEAD' && name !== 'OPTIONS'))
      routes.push({ path, method: one.toLowerCase(), operation: operationOf(path, schema) });
  });
  return routes;
}

/** The OpenAPI document of the routes, with examples filled in by `operationId`. */
export function openApiDocument(routes: readonly Described[], examples: Examples, origin: string) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { path, method, operation } of routes)
    paths[path] = { ...paths[path], [method]: filledIn(operation, examples) };
  const info = {
    title: 'Issuance service sandbox',
    version: '1.3.0',
    description: introduction.replaceAll('\n', ' '),
  };
  return { openapi: '3.1.0', info, servers: [{ url: origin }], tags: tags.map((name) => ({ name })), paths };
}

function operationOf(path: string, schema: FastifySchema): Operation {
  const { operationId, tags, summary, description, deprecated, headers, querystring, params, body } = schema;
  const consumes = schema.consumes ?? ['application/json'];
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, { type: 'string' }]);
  const inPath = { ...Object.fromEntries(named), ...propertiesOf(params) };
  return {
    operationId,
    tags,
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    parameters: [
      ...parameters('header', propertiesOf(headers)),
      ...parameters('path', inPath),
      ...parameters('query', propertiesOf(querystring)),
    ],
    ...(body instanceof z.ZodType && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          consumes.map((type) => [type, { schema: jsonSchemaOf(body, 'request') }]),
        ),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(schema.response ?? {}).map(([status, answer]) => [status, responseOf(answer)]),
    ),
  };
}

function propertiesOf(definition: unknown): Record<string, JsonSchema> {
  if (!(definition instanceof z.ZodType)) return {};
  const { properties = {} } = jsonSchemaOf(definition, 'request') as {
    properties?: Record<string, JsonSchema>;
  };
  return properties;
}

function parameters(place: 'header' | 'path' | 'query', properties: Record<string, JsonSchema>) {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place !== 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** Describes a response: a bare definition is JSON, the other form names its content types. */
function responseOf(
  answer: z.ZodType | { description: string; content: Record<string, { schema: z.ZodType }> },
) {
  if (!(answer instanceof z.ZodType)) {
    const content = Object.entries(answer.content).map(([type, { schema }]) => [
      type,
      { schema: jsonSchemaOf(schema, 'answer') },
    ]);
    return { description: answer.description, content: Object.fromEntries(content) };
  }
  const { description = '', ...schema } = jsonSchemaOf(answer, 'answer');
  // The response has no body.
  if (schema.type === 'null') return { description };
  return { description, content: { 'application/json': { schema } } };
}

function filledIn(operation: Operation, examples: Examples): Operation {
  const { parameters = {}, body } = examples[operation.operationId ?? ''] ?? {};
  const { requestBody } = operation;
  return {
    ...operation,
    parameters: operation.parameters.map((parameter) => {
      const example = parameters[parameter.name];
      return example === undefined
        ? parameter
        : { ...parameter, schema: { ...parameter.schema, default: example } };
    }),
    ...(requestBody && {
      requestBody: {
        ...requestBody,
        content: Object.fromEntries(
          Object.entries(requestBody.content).map(([type, media]) => [type, { ...media, example: body }]),
        ),
      },
    }),
  };
}
