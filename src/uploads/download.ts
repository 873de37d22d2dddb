import type { Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import type { Storage, StoredObject } from '../clients/commerce/storage.ts';
import { GatewayError } from '../model/errors.ts';
import { type FileKey, fileKeyText, signedUrlMs } from '../model/file.ts';
import { proxyPath } from './proxy-path.ts';
import type { SignFiles } from './sign-files.ts';

/** Encrypts and decrypts text; see `SecretBox` in `access/`. */
export interface Sealer {
  seal(secret: string, label: string): Buffer;
  open(sealed: Buffer, label: string): string;
}

/** What a link contains, encrypted. */
interface LinkContent {
  issuer: string;
  url: string;
  contentType: string;
  expiresAt: number;
}

/** Reads uploaded files back, for callers with credentials or a link. */
export class Downloads {
  readonly #deps: { box: Sealer; sign: SignFiles; storage: Storage };

  constructor(deps: { box: Sealer; sign: SignFiles; storage: Storage }) {
    this.#deps = deps;
  }

  /**
   * A link to a file, valid as long as the service's signed URL. It contains that URL, encrypted, so any
   * replica can serve it without the issuer's credentials.
   */
  linkTo(issuer: string, key: FileKey, { url, contentType }: SignedFile): string {
    const content: LinkContent = { issuer, url, contentType, expiresAt: Date.now() + signedUrlMs };
    const sealed = this.#deps.box.seal(JSON.stringify(content), labelOf(key));
    return `${proxyPath(key)}?signature=${sealed.toString('base64url')}`;
  }

  /**
   * Opens a file by its link. @throws GatewayError FORBIDDEN when the link has expired or is for another
   * file.
   */
  byLink(signature: string, key: FileKey, range: Record<string, string>, signal: AbortSignal) {
    return this.#open(key, this.#linkContent(signature, key), range, signal);
  }

  async byCredentials(
    credentials: Credentials,
    key: FileKey,
    range: Record<string, string>,
    signal: AbortSignal,
  ): Promise<StoredObject> {
    const [signed] = await this.#deps.sign(credentials, 'read', [key], signal);
    if (!signed) throw new Error('the service returned no signed URL');
    return this.#open(key, { ...signed, issuer: credentials.issuer }, range, signal);
  }

  async #open(
    { filename }: FileKey,
    { issuer, url, contentType }: Omit<LinkContent, 'expiresAt'>,
    range: Record<string, string>,
    signal: AbortSignal,
  ): Promise<StoredObject> {
    const stored = await this.#deps.storage.getObject({ issuer, url, contentType, range, signal });
    return { ...stored, headers: responseHeaders(filename, contentType, stored.headers) };
  }

  #linkContent(signature: string, key: FileKey): LinkContent {
    let content: LinkContent | undefined;
    try {
      content = JSON.parse(
        this.#deps.box.open(Buffer.from(signature, 'base64url'), labelOf(key)),
      ) as LinkContent;
    } catch {
      // The link is truncated, for another file, or encrypted with a former key.
    }
    if (content && content.expiresAt > Date.now()) return content;
    throw new GatewayError({
      code: 'FORBIDDEN',
      message: `The link ${content ? 'has expired' : 'is not valid for this file'}. Get a new one from Upload.downloadUrl.`,
    });
  }
}

const labelOf = (key: FileKey) => `download ${fileKeyText(key)}`;

/** The storage's headers that a client needs, for example to resume a download. */
const forwardedHeaders = [
  'content-length',
  'content-range',
  'content-encoding',
  'accept-ranges',
  'etag',
  'last-modified',
];

/** Types that browsers show without running anything. */
const inert = /^(image\/(avif|gif|jpeg|png|webp)|audio\/|video\/)/;

/** Headers that keep a file from running in the gateway's origin: it is whatever somebody uploaded. */
function responseHeaders(
  filename: string,
  contentType: string,
  stored: StoredObject['headers'],
): Record<string, string> {
  const plain = filename.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const disposition = inert.test(contentType) ? 'inline' : 'attachment';
  return {
    ...Object.fromEntries(Object.entries(stored).filter(([name]) => forwardedHeaders.includes(name))),
    'content-type': contentType,
    'content-disposition': `${disposition}; filename="${plain}"; filename*=UTF-8''${encoded}`,
    // The page that a browser makes around a picture or video has inline styles, and loads nothing else.
    'content-security-policy':
      "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  };
}
