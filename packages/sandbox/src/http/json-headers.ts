import type { FastifyRequest } from 'fastify';
import { ServiceError } from './service-error.ts';

/**
 * The document requires `application/json` of both headers. A parameter such as the charset may follow the
 * type, and ranges that include JSON ask for it as well.
 */
export async function requireJson({ headers }: FastifyRequest): Promise<void> {
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new ServiceError(400, 'Content-Type must be application/json');
  if (!ranges(headers.accept).some((range) => json.includes(range)))
    throw new ServiceError(400, 'accept must be application/json');
}

const json = ['application/json', 'application/*', '*/*'];

/** The media ranges of an Accept header that are not ruled out by a quality of 0. */
function ranges(header: string | undefined): string[] {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((text) => text.trim()))
    .filter(([, ...parameters]) => !parameters.some((text) => /^q=0(\.0*)?$/.test(text)))
    .map(([range = '']) => range);
}
