import type { Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import type { Storage, StoredObject } from '../clients/commerce/storage.ts';
import { GatewayError } from '../model/errors.ts';
import { type FileKey, fileKeyText } from '../model/file.ts';
import { proxyPath } from './proxy-path.ts';
import { type SignFiles, signedUrlMs } from './sign-files.ts';

/** Encrypts and decrypts text; see `SecretBox` in `access/`. */
export interface Sealer {
  seal(secret: string, label: string): Buffer;
  open(sealed: Buffer, label: string): string;
}

/** A file being read, and its media type. */
export interface Download extends StoredObject {
  contentType: string;
}

/** Content of a link, encrypted. */
interface Sealed {
  url: string;
  contentType: string;
  expiresAt: number;
}

/** Reads uploaded files back, for callers with credentials or a link. */
export class Downloads {
  readonly #box: Sealer;
  readonly #sign: SignFiles;
  readonly #storage: Storage;

  constructor(deps: { box: Sealer; sign: SignFiles; storage: Storage }) {
    this.#box = deps.box;
    this.#sign = deps.sign;
    this.#storage = deps.storage;
  }

  /**
   * A link to a file, valid as long as the service's signed URL. It contains that URL, encrypted, so any
   * replica can serve it without the issuer's credentials.
   */
  linkTo(key: FileKey, { url, contentType }: SignedFile): string {
    const text: Sealed = { url, contentType, expiresAt: Date.now() + signedUrlMs };
    const sealed = this.#box.seal(JSON.stringify(text), labelOf(key));
    return `${proxyPath(key)}?signature=${sealed.toString('base64url')}`;
  }

  /**
   * Opens a file by its link. @throws GatewayError FORBIDDEN when the link has expired or is for another
   * file.
   */
  byLink(key: FileKey, signature: string, range: Record<string, string>, signal: AbortSignal) {
    return this.#open(this.#sealedIn(signature, key), range, signal);
  }

  /** Opens a file of an issuer. */
  async byCredentials(
    credentials: Credentials,
    key: FileKey,
    range: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Download> {
    const [signed] = await this.#sign(credentials, 'read', [key], signal);
    if (!signed) throw new Error('the service returned no signed URL');
    return this.#open(signed, range, signal);
  }

  async #open(
    { url, contentType }: Pick<SignedFile, 'url' | 'contentType'>,
    range: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Download> {
    return { ...(await this.#storage.getObject({ url, contentType, range, signal })), contentType };
  }

  #sealedIn(signature: string, key: FileKey): Sealed {
    let sealed: Sealed | undefined;
    try {
      sealed = JSON.parse(this.#box.open(Buffer.from(signature, 'base64url'), labelOf(key))) as Sealed;
    } catch {
      // It is truncated, for another file, or encrypted with a former key.
    }
    if (sealed && sealed.expiresAt > Date.now()) return sealed;
    throw new GatewayError({
      code: 'FORBIDDEN',
      message: `The link ${sealed ? 'has expired' : 'is not valid for this file'}. Get a new one from Upload.downloadUrl.`,
    });
  }
}

const labelOf = (key: FileKey) => `download ${fileKeyText(key)}`;
