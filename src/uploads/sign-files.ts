import type { Commerce, Credentials, FileKey, SignedFile } from '../clients/commerce/commerce.ts';
import type { UploadRows } from './upload-rows.ts';

/** What the service knows of the files by name: their fixed facts, and an address to download from. */
export type SignFiles = (
  credentials: Credentials,
  action: 'read' | 'write',
  keys: readonly FileKey[],
  signal?: AbortSignal,
) => Promise<SignedFile[]>;

/** Remembers what each answer tells of a file. */
export function signFiles(rows: UploadRows, commerce: Commerce): SignFiles {
  return async (credentials, action, keys, signal) => {
    const signed = await commerce.signedUrls(credentials, action, [...keys], signal);
    await rows.remember(credentials, keys, signed);
    return signed;
  };
}
