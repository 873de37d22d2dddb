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
