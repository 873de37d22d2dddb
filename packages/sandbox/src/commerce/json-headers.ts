import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../http/service-error.ts';

/**
 * Throws the document's 400 unless both headers name `application/json`. `Content-Type` may have parameters
 * such as a charset, and `accept` may name a media range that includes JSON.
 */
export async function requireJson({ headers }: FastifyRequest): Promise<void> {
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new ServiceError(400, 'Content-Type must be application/json');
  if (!ranges(headers.accept).some((range) => json.includes(range)))
    throw new ServiceError(400, 'accept must be application/json');
}

const json = ['application/json', 'application/*', '*/*'];

/** The media ranges of an `accept` header, without those whose quality is 0. */
function ranges(header: string | undefined): string[] {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((text) => text.trim()))
    .filter(([, ...parameters]) => !parameters.some((text) => /^q=0(\.0*)?$/.test(text)))
    .map(([range = '']) => range);
}
