import type { Address } from '@srr-gateway/common/address';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../http/service-error.ts';
import type { Directory } from '../licensing/directory.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller's licensed user wallet; set on commerce routes only. */
    issuer: Address;
  }
}

/** The required headers. `authenticator` checks them first and answers 401; other headers are allowed. */
export const credentials = z.looseObject({
  'commerce-api-key': z.string(),
  'issuer-address': z.string(),
});

/**
 * A hook that sets `request.issuer`, or throws the document's 401. Run it before the body is read, so that a
 * caller without a valid key learns nothing else.
 */
export function authenticator(directory: Directory): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const apiKey = header(request, 'commerce-api-key');
    const claimed = header(request, 'issuer-address');
    if (!apiKey || !claimed) throw new ServiceError(401, 'Missing header');
    const issuer = await directory.addressOfKey(apiKey);
    if (issuer === undefined || issuer.toLowerCase() !== claimed.toLowerCase())
      throw new ServiceError(401, `API Key is not valid for ${claimed}`);
    request.issuer = issuer;
  };
}

function header(request: FastifyRequest, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
}

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
