import type { Commerce, Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import type { FileKey } from '../model/file.ts';
import type { UploadRows } from './upload-rows.ts';

/** How long a signed URL is valid after it was made, by the service's document. */
export const signedUrlMs = 15 * 60_000;

/**
 * Asks the service to sign for files. The answer has what never changes of each file, and an address to read
 * from or write to.
 */
export type SignFiles = (
  credentials: Credentials,
  action: 'read' | 'write',
  keys: readonly FileKey[],
  signal?: AbortSignal,
) => Promise<SignedFile[]>;

/** Signs through the service and stores what each answer says of a file. */
export function signFiles(rows: UploadRows, commerce: Commerce): SignFiles {
  return async (credentials, action, keys, signal) => {
    const signed = await commerce.signedUrls(credentials, action, [...keys], signal);
    await rows.remember(credentials, keys, signed);
    return signed;
  };
}
