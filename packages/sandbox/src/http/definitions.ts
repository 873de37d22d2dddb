import type { FastifyInstance, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import { z } from 'zod';
import { ServiceError } from './service-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path for the OpenAPI document, where the route's pattern is less clear; `:name` for parameters. */
    documentedPath?: string;
  }
}

/** Types the requests and responses of a route by the zod definitions in its schema. */
export interface Definitions extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown;
}

/**
 * Makes the server enforce the zod definitions in the schemas of its routes: a request that breaks its
 * definition is refused with 400, and a response that breaks its definition is not sent.
 */
export function serveByDefinitions(server: FastifyInstance): void {
  server.setValidatorCompiler(readBy(located));
  server.setSerializerCompiler<z.ZodType>(
    ({ schema }) =>
      (answer) =>
        JSON.stringify(schema.parse(answer)),
  );
}

/** A Fastify compiler that validates by zod definitions. `words` makes the messages of the 400. */
export function readBy(words: (error: z.ZodError) => string[]): FastifySchemaCompiler<z.ZodType> {
  return ({ schema }) =>
    (value: unknown) => {
      try {
        const { success, data, error } = schema.safeParse(value);
        return success ? { value: data } : { error: new ServiceError(400, words(error)) };
      } catch (error) {
        // Some definitions throw a refusal of their own, such as those of the commerce bodies.
        if (error instanceof ServiceError) return { error };
        throw error;
      }
    };
}

/** One message per fault, after the path of its field. */
function located({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
}

export type JsonSchema = Record<string, unknown>;

/**
 * A definition as JSON Schema, for the OpenAPI document. A response allows further fields, because the
 * service may add some at any time.
 */
export function jsonSchemaOf(definition: z.ZodType, of: 'request' | 'answer'): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(definition, {
    io: of === 'request' ? 'input' : 'output',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (of === 'answer' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return schema;
}
