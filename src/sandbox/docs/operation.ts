import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface Parameter {
  description?: string;
  schema?: JsonSchema;
  example?: unknown;
}

export interface Answer {
  description: string;
  /** Absent: no body, or one that is no JSON. */
  schema?: JsonSchema;
  contentType?: string;
}

/** What a page of endpoints says of one route. */
export interface Operation {
  tag: string;
  summary: string;
  description?: string;
  /** The path where the route's own pattern says less, with `:name` for parameters. */
  path?: string;
  params?: Record<string, Parameter>;
  query?: Record<string, Parameter>;
  body?: { schema: JsonSchema; contentType?: string; example?: unknown };
  answers: Record<string, Answer>;
  /** Needs the commerce API's two headers. */
  authenticated?: boolean;
  deprecated?: boolean;
}

/** By method and route pattern, such as `GET /sandbox`. */
export type Operations = Readonly<Record<string, Operation>>;

export const text: JsonSchema = { type: 'string' };
export const flag: JsonSchema = { type: 'boolean' };
export const integer: JsonSchema = { type: 'integer' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const address: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
export const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** An object of which every named property is there, but for those of `optional`. More may come at any time. */
export function object(
  properties: Record<string, JsonSchema>,
  optional: Record<string, JsonSchema> = {},
): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } };
}

/** The schema of a zod definition that reads requests, as a caller sees it. */
export function requestSchema(definition: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition, {
    io: 'input',
    unrepresentable: 'any',
  });
  return schema;
}

/** Query parameters of a zod object that reads them. */
export function queryOf(definition: z.ZodObject): Record<string, Parameter> {
  const { properties = {} } = requestSchema(definition) as { properties?: Record<string, JsonSchema> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { schema, ...(typeof schema.description === 'string' && { description: schema.description }) },
    ]),
  );
}

const envelope = (message: JsonSchema): JsonSchema => object({ statusCode: integer, message });

export const refusals = {
  400: {
    description:
      'The request is invalid, or an issuance check failed. `message` is a text, a list of texts, or the results of the entries.',
    schema: envelope({
      anyOf: [
        text,
        list(text),
        object({ results: list(object({ status: { const: 'failed' }, externalId: text, message: text })) }),
      ],
    }),
  },
  401: { description: 'A header is missing, or the key is not of this issuer.', schema: envelope(text) },
  404: { description: 'There is no such thing.', schema: envelope(text) },
  500: { description: 'A step behind the service refused.', schema: envelope(text) },
  502: { description: 'Trouble behind the service.', schema: envelope({ const: 'Bad Gateway' }) },
} satisfies Record<string, Answer>;
