import type { FastifyInstance, FastifySchemaValidationError } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { ServiceError } from './service-error.ts';

/**
 * Makes the server enforce the zod schemas of its routes: a request that breaks its schema is refused with 400,
 * and a response that breaks its schema is not sent.
 */
export function enforceZodSchemas(server: FastifyInstance): void {
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setSchemaErrorFormatter((issues) => new ServiceError(400, issues.map(located)));
}

/** The message of a failed check, after the path of its field. */
function located({ instancePath, message = '' }: FastifySchemaValidationError): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  return path === '' ? message : `${path}: ${message}`;
}
