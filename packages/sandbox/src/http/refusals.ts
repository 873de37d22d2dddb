import { z } from 'zod';
import { entryFailure } from './service-error.ts';

/**
 * Refusals of an issue request, by status. Not those that come before the issuer is known (401), nor those that
 * say nothing about the issuance (502).
 */
export const issueRefusals = {
  400: envelope(
    400,
    z.union([z.string(), z.array(z.string()), z.object({ results: z.array(entryFailure) })]),
  ).describe(
    'The request is invalid, or an issuance check failed. `message` is a text, a list of texts, or the results of the entries.',
  ),
  500: envelope(500, z.string()).describe('A system behind the service refused the request.'),
};

/** The response definition of every refusal, by status. */
export const refusals = {
  ...issueRefusals,
  401: envelope(401, z.string()).describe('A header is missing, or the key does not belong to the issuer.'),
  404: envelope(404, z.string()).describe('Not found.'),
  502: envelope(502, z.literal('Bad Gateway')).describe('A system behind the service failed.'),
};

/** The definition of the service's error envelope, `{statusCode, message}`. */
export function envelope<S extends number, M extends z.ZodType>(status: S, message: M) {
  return z.object({ statusCode: z.literal(status), message });
}
