import { createHash } from 'node:crypto';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import type { Credentials, SignedFile } from '../clients/commerce/commerce.ts';
import type { Storage } from '../clients/commerce/storage.ts';
import { GatewayError } from '../model/errors.ts';
import type { FileKey } from '../model/file.ts';
import { publish } from '../observability/telemetry.ts';
import { maxFileBytes } from './check-specs.ts';
import type { SignFiles } from './sign-files.ts';
import type { UploadRows } from './upload-rows.ts';

export interface IncomingUpload {
  body: Readable;
  /** The Content-Type of the caller's request. It must equal the one that the service signed. */
  contentType: string | undefined;
  /** In bytes; undefined when the caller did not send it. */
  size: number | undefined;
  /** A new signed URL for writing. Absent: the service is asked for one. */
  signed?: SignedFile | undefined;
}

/**
 * Streams a caller's bytes to the address that the service signs for this file, without buffering them.
 * @throws GatewayError CONTENT_MISMATCH when the bytes are not the announced ones. They are not stored then.
 */
export async function passThrough(
  deps: { rows: UploadRows; sign: SignFiles; storage: Storage },
  credentials: Credentials,
  key: FileKey,
  incoming: IncomingUpload,
  signal: AbortSignal,
): Promise<void> {
  const announced = await deps.rows.announced(credentials.issuer, key);
  const size = incoming.size ?? announced?.size ?? undefined;
  if (size !== undefined && size >= maxFileBytes) throw tooLarge();
  if (announced?.size != null && size !== announced.size) throw wrongSize(announced.size, `${size} are`);
  const signed = incoming.signed ?? (await deps.sign(credentials, 'write', [key], signal))[0];
  if (!signed) throw new Error('the service returned no signed URL');
  if (incoming.contentType !== undefined && incoming.contentType !== signed.contentType)
    throw new GatewayError({
      code: 'INVALID_INPUT',
      message: `Send this file with Content-Type: ${signed.contentType} (Upload.contentType), not ${incoming.contentType}.`,
      path: ['Content-Type'],
    });
  const checked = new CheckedBytes(announced?.hash ?? undefined, announced?.size ?? undefined);
  incoming.body.once('error', (error) => checked.destroy(error));
  await deps.storage.putObject({
    issuer: credentials.issuer,
    url: signed.url,
    contentType: signed.contentType,
    body: incoming.body.pipe(checked),
    size,
    signal,
  });
}

/**
 * Passes bytes on, and counts and hashes them. Holds back the last chunk until size and hash are verified: the storage
 * discards a file whose end is missing.
 */
class CheckedBytes extends Transform {
  readonly #expected: string | undefined;
  readonly #size: number | undefined;
  readonly #hash = createHash('sha256');
  #held: Buffer | undefined;
  #count = 0;

  constructor(expected: string | undefined, size: number | undefined) {
    super();
    this.#expected = expected;
    this.#size = size;
  }

  override _transform(chunk: Buffer, _encoding: string, callback: TransformCallback): void {
    this.#count += chunk.length;
    if (this.#count >= maxFileBytes) {
      callback(tooLarge());
      return;
    }
    if (this.#size !== undefined && this.#count > this.#size) {
      callback(wrongSize(this.#size, 'more are'));
      return;
    }
    if (this.#expected !== undefined) this.#hash.update(chunk);
    if (this.#held) this.push(this.#held);
    this.#held = chunk;
    callback();
  }

  override _flush(callback: TransformCallback): void {
    if (this.#size !== undefined && this.#count !== this.#size) {
      callback(wrongSize(this.#size, `${this.#count} are`));
      return;
    }
    const actual = this.#expected === undefined ? undefined : `sha256-${this.#hash.digest('hex')}`;
    if (actual === this.#expected) callback(null, this.#held);
    else
      callback(
        mismatch('hash', `the announced hash is ${this.#expected}, but that of the content is ${actual}`),
      );
  }
}

/** The error of a refused upload. Call it once for each, because it also counts the refusal. */
function mismatch(reason: 'hash' | 'size', why: string): GatewayError {
  publish('uploadMismatch', { reason });
  return new GatewayError({ code: 'CONTENT_MISMATCH', message: `Nothing was stored: ${why}.` });
}

const wrongSize = (announced: number, sent: string) =>
  mismatch('size', `${announced} bytes were announced and ${sent} sent`);

const tooLarge = () =>
  new GatewayError({
    code: 'FILE_TOO_LARGE',
    message: `A file must be smaller than ${maxFileBytes} bytes (2 GB).`,
  });
