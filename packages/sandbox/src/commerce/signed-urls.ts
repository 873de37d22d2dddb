import type { Address } from '@srr-gateway/common/address';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { contentTypeOf } from '../storage/content-type.ts';
import { finalUrl, objectPath } from '../storage/file-location.ts';
import type { Signatures } from '../storage/signature.ts';
import type { signingRequest } from './body/file-keys.ts';

export const signedUrls = z
  .object({
    results: z.array(
      z.object({
        filename: z.string(),
        contentType: z.string(),
        url: z.string().describe('Valid for 15 minutes. Keep it secret: it needs no other credentials.'),
        finalUrl: z.string(),
      }),
    ),
  })
  .describe('The signed URLs, in the order of the request.');

/** `POST /commerce/signedUrls`. Signs a used filename too: only the upload under it is refused. */
export function signUrls(
  issuer: Address,
  { action, payload }: z.infer<typeof signingRequest>,
  { signatures, clock, origin }: { signatures: Signatures; clock: Clock; origin: string },
): z.infer<typeof signedUrls> {
  const method = action === 'write' ? 'PUT' : 'GET';
  return {
    results: payload.map(({ filename, category }) => {
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
