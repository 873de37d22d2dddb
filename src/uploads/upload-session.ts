import DataLoader from 'dataloader';
import type { Commerce, Credentials, FileState, SignedFile } from '../clients/commerce/commerce.ts';
import { type FileKey, fileKeyText } from '../model/file.ts';
import { type SignFiles, withFileNames } from './sign-files.ts';
import type { UploadRows } from './upload-rows.ts';

const byName = { cacheKeyFn: fileKeyText };

/** Loaders of one GraphQL request for an issuer's files. Each loader makes one upstream call for all its files. */
export class UploadSession {
  readonly states: DataLoader<FileKey, FileState, string>;
  readonly readable: DataLoader<FileKey, SignedFile, string>;
  readonly writable: DataLoader<FileKey, SignedFile, string>;

  constructor(
    { rows, sign, commerce }: { rows: UploadRows; sign: SignFiles; commerce: Commerce },
    credentials: Credentials,
    signal: AbortSignal,
  ) {
    this.states = new DataLoader(async (keys) => {
      const states = await commerce.fileMetadata(credentials, [...keys], signal).catch((error: unknown) => {
        throw withFileNames(error, keys);
      });
      await rows.storeStates(credentials.issuer, keys, states);
      return states;
    }, byName);
    this.readable = new DataLoader((keys) => sign(credentials, 'read', keys, signal), byName);
    this.writable = new DataLoader((keys) => sign(credentials, 'write', keys, signal), byName);
  }
}
