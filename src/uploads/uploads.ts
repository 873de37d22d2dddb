import type { Commerce, Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import type { Storage } from '../clients/commerce/storage.ts';
import { assertNoFaults, type Fault, translateFaults } from '../model/errors.ts';
import type { FileKey, UploadFile } from '../model/file.ts';
import type { Db } from '../store/store.ts';
import { specFaults, type UploadSpec } from './check-specs.ts';
import { Downloads, type Sealer } from './download.ts';
import { type IncomingUpload, passThrough } from './pass-through.ts';
import { type SignFiles, signFiles } from './sign-files.ts';
import { UploadRows } from './upload-rows.ts';
import { UploadSession } from './upload-session.ts';

/** Uploads and downloads of files. The public class of this folder. */
export class Uploads {
  readonly rows: UploadRows;
  readonly downloads: Downloads;
  readonly #deps: { rows: UploadRows; sign: SignFiles; commerce: Commerce; storage: Storage };

  constructor({ db, commerce, storage, box }: { db: Db; commerce: Commerce; storage: Storage; box: Sealer }) {
    this.rows = new UploadRows(db);
    const sign = signFiles(this.rows, commerce);
    this.downloads = new Downloads({ box, sign, storage });
    this.#deps = { rows: this.rows, sign, commerce, storage };
  }

  /** Streams a caller's bytes to the storage; see `passThrough`. */
  receive(
    credentials: Credentials,
    key: FileKey,
    incoming: IncomingUpload,
    signal: AbortSignal,
  ): Promise<void> {
    return passThrough(this.#deps, credentials, key, incoming, signal);
  }

  session(credentials: Credentials, signal: AbortSignal): UploadSession {
    return new UploadSession(this.#deps, credentials, signal);
  }

  /**
   * Creates uploads, with one signing call for all. For announced content that is stored already, returns the file
   * that has it: then there is nothing to upload.
   * @throws GatewayError with every fault of the input.
   */
  async create(
    credentials: Credentials,
    specs: UploadSpec[],
    signal?: AbortSignal,
  ): Promise<{ file: UploadFile; signed: SignedFile | undefined }[]> {
    const { issuer } = credentials;
    assertNoFaults(specFaults(specs));
    const known = await this.rows.knownContent(issuer, specs);
    const toUpload = specs.filter((_, i) => !known[i]);
    assertNoFaults(takenFaults(specs, await this.rows.takenNames(issuer, toUpload)));
    const signed = await this.#deps.commerce
      .signedUrls(credentials, 'write', toUpload, signal)
      .catch((error: unknown) => {
        throw withInputPaths(error, specs, toUpload);
      });
    // Another call may have announced other content while the service signed.
    assertNoFaults(takenFaults(specs, await this.rows.storeSigned(issuer, toUpload, signed)));
    const answers = new Map(toUpload.map((spec, i) => [spec, signed[i] as SignedFile]));
    return specs.map((spec, i) => {
      const answer = answers.get(spec);
      return { file: answer ? fileOf(spec, answer) : (known[i] as UploadFile), signed: answer };
    });
  }
}

/** The file as the signing answer describes it. */
const fileOf = (key: FileKey, signed: SignedFile): UploadFile => ({
  filename: key.filename,
  category: key.category,
  contentType: signed.contentType,
  finalUrl: signed.finalUrl,
});

const takenFaults = (specs: UploadSpec[], taken: Set<string>): Fault[] =>
  specs.flatMap((spec, i) =>
    taken.has(spec.filename)
      ? [
          {
            code: 'FILENAME_TAKEN' as const,
            message: `"${spec.filename}" has other content, or was announced with other content in the last 15 minutes, and a name cannot change its content or category. Choose another filename.`,
            path: ['input', 'files', `${i}`, 'filename'],
          },
        ]
      : [],
  );

/**
 * Translates paths of faults into the mutation's input. The service's paths are those of its payload, which
 * lacks the files that needed no signature.
 */
const withInputPaths = (error: unknown, specs: UploadSpec[], toUpload: UploadSpec[]): unknown =>
  translateFaults(error, (fault) => {
    const [root, index, ...field] = fault.path ?? [];
    const spec = root === 'payload' ? toUpload[Number(index)] : undefined;
    return spec ? { ...fault, path: ['input', 'files', `${specs.indexOf(spec)}`, ...field] } : fault;
  });
