import DataLoader from 'dataloader';
import type { Commerce, Credentials, FileKey, FileState, SignedFile } from '../commerce/commerce.ts';
import type { Uploads } from './uploads.ts';

const cacheKeyFn = (key: FileKey) => `${key.category}/${key.filename}`;

/** What one request asks of an issuer's files; each kind of question is one upstream call for all files. */
export class UploadSession {
  readonly states: DataLoader<FileKey, FileState, string>;
  readonly readable: DataLoader<FileKey, SignedFile, string>;
  readonly writable: DataLoader<FileKey, SignedFile, string>;

  constructor(uploads: Uploads, commerce: Commerce, credentials: Credentials, signal: AbortSignal) {
    this.states = new DataLoader(
      async (keys) => {
        const states = await commerce.fileMetadata(credentials, [...keys], signal);
        await uploads.rows.learn(credentials, keys, states);
        return states;
      },
      { cacheKeyFn },
    );
    this.readable = new DataLoader((keys) => uploads.sign(credentials, 'read', keys, signal), { cacheKeyFn });
    this.writable = new DataLoader((keys) => uploads.sign(credentials, 'write', keys, signal), {
      cacheKeyFn,
    });
  }
}
