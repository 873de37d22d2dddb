import type { Commerce, Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import { translateFaults } from '../model/errors.ts';
import { type FileKey, fileKeyText } from '../model/file.ts';
import type { UploadRows } from './upload-rows.ts';

/**
 * Asks the service for signed URLs to read or write files. The answer also has each file's content type and
 * permanent address.
 */
export type SignFiles = (
  credentials: Credentials,
  action: 'read' | 'write',
  keys: readonly FileKey[],
  signal?: AbortSignal,
) => Promise<SignedFile[]>;

/** Asks the service, and stores the content types and addresses of its answer. */
export function signFiles(rows: UploadRows, commerce: Commerce): SignFiles {
  return async (credentials, action, keys, signal) => {
    const signed = await commerce
      .signedUrls(credentials, action, [...keys], signal)
      .catch((error: unknown) => {
        throw withFileNames(error, keys);
      });
    await rows.storeSigned(credentials.issuer, keys, signed);
    return signed;
  };
}

/**
 * Names the file of each fault in its message. The path of a fault has the index in a list that the caller did not
 * send.
 */
export const withFileNames = (error: unknown, files: readonly FileKey[]): unknown =>
  translateFaults(error, ({ path: [, i] = [], ...fault }) => {
    const file = files[Number(i)];
    return file ? { ...fault, message: `${fileKeyText(file)}: ${fault.message}` } : fault;
  });
