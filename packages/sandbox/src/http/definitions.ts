import type { FastifyInstance, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import { z } from 'zod';
import { ServiceError } from './service-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The path as people read it, where the route's own pattern says less; `:name` for parameters. */
    documentedPath?: string;
  }
}

/** Types the requests and answers of a route by the zod definitions in its schema. */
export interface Definitions extends FastifyTypeProvider {
  validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown;
  serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown;
}

/**
 * Makes the definitions in the schemas of routes those by which they are served: a request that breaks
 * its own is refused with 400, and an answer that breaks its own never leaves.
 */
export function serveByDefinitions(server: FastifyInstance): void {
  server.setValidatorCompiler(readBy(located));
  server.setSerializerCompiler<z.ZodType>(
    ({ schema }) =>
      (answer) =>
        JSON.stringify(schema.parse(answer)),
  );
}

/** Reads by definitions, with `words` for what is wrong. */
export function readBy(words: (error: z.ZodError) => string[]): FastifySchemaCompiler<z.ZodType> {
  return ({ schema }) =>
    (value: unknown) => {
      try {
        const { success, data, error } = schema.safeParse(value);
        return success ? { value: data } : { error: new ServiceError(400, words(error)) };
      } catch (error) {
        // A definition that has its own words for what is wrong.
        if (error instanceof ServiceError) return { error };
        throw error;
      }
    };
}

/** Each fault by its place. */
function located({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message));
}

export type JsonSchema = Record<string, unknown>;

/** A definition as a page of endpoints shows it. Of answers, more fields may come at any time. */
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
