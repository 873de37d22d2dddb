import type { Address } from '../../lib/address.ts';
import type { Clock } from '../clock.ts';
import { contentTypeOf } from '../storage/content-type.ts';
import { finalUrl, objectPath } from '../storage/file-location.ts';
import type { Signatures } from '../storage/signature.ts';
import { readSigningRequest } from './body/file-keys.ts';

export interface SignedUrl {
  filename: string;
  contentType: string;
  /** Valid 15 minutes; a secret, since it authorizes by itself. */
  url: string;
  finalUrl: string;
}

/** `POST /commerce/signedUrls`. A used name may be signed again: only storing under it is refused. */
export function signUrls(
  issuer: Address,
  body: unknown,
  { signatures, clock, origin }: { signatures: Signatures; clock: Clock; origin: string },
): { results: SignedUrl[] } {
  const { action, files } = readSigningRequest(body);
  const method = action === 'write' ? 'PUT' : 'GET';
  return {
    results: files.map(({ filename, category }) => {
      const location = { issuer, filename, category };
      const contentType = contentTypeOf(filename);
      const path = objectPath(location);
      const query = signatures.query({ method, path, contentType }, clock.now());
      return {
        filename,
        contentType,
        url: `${origin}${path}?${query}`,
        finalUrl: finalUrl(origin, location),
      };
    }),
  };
}
