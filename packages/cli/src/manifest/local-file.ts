import { createHash } from 'node:crypto';
import { accessSync, constants, createReadStream, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, extname, isAbsolute, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileCategory } from '@srr-gateway/client';
import { FailedError } from '../lib/exit-codes.ts';

/** A file of a record that has to be uploaded. */
export class LocalFile {
  readonly path: string;
  readonly category: FileCategory;
  #sha256: Promise<string> | undefined;
  #hashed: Stats | undefined;

  constructor(path: string, category: FileCategory) {
    this.path = path;
    this.category = category;
  }

  /** Records that name the same file share its upload. */
  get key(): string {
    return `${this.category} ${this.path}`;
  }

  get sha256(): Promise<string> {
    this.#hashed ??= statSync(this.path, { throwIfNoEntry: false });
    this.#sha256 ??= hash(this.path);
    return this.#sha256;
  }

  /** Whether the file has changed since it was hashed, or is gone. */
  get hasChanged(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false });
    return now?.size !== this.size || now?.mtimeMs !== this.#hashed?.mtimeMs;
  }

  /** The size of the content that was hashed. */
  get size(): number | undefined {
    return this.#hashed?.size;
  }

  /**
   * The name at the service, where a name in a category belongs to one content for ever. With a part of the hash,
   * pictures of the same name in two folders do not collide, and a changed picture gets a new name.
   */
  async filename(): Promise<string> {
    return this.#nameWith(await this.sha256);
  }

  /** A name of the same form for checks before the upload. It needs no hash, which takes long for a large file. */
  get placeholderName(): string {
    return this.#nameWith(createHash('sha256').update(this.key).digest('hex'));
  }

  #nameWith(hash: string): string {
    const ending = extname(this.path);
    // Spread into characters: a cut in the middle of one would make an invalid name.
    const stem = [...basename(this.path, ending).replace(/[^\p{L}\p{N}_-]+/gu, '-')].slice(0, 80).join('');
    const use = this.category === 'NON_ATTACHMENT_FILE' ? '' : `-${this.category.toLowerCase()}`;
    return `${stem}${use}-${hash.slice(0, 10)}${ending.toLowerCase()}`;
  }
}

/** The fault of a path in a manifest, if it has one. */
export function faultOf(folder: string, named: string): string | undefined {
  if (isAbsolute(named) || /^[a-zA-Z]:/.test(named)) return `"${named}" must be relative to ${folder}.`;
  const path = join(folder, named);
  // A foreign manifest must not publish other files of this machine.
  if (isOutside(folder, path)) return `"${named}" is outside ${folder}.`;
  let stat: Stats;
  try {
    stat = statSync(path);
    accessSync(path, constants.R_OK);
    // Nor may a link that came with it.
    if (isOutside(realpathSync(folder), realpathSync(path)))
      return `"${named}" is a link to a file outside ${folder}. Copy the file, or name a folder above both: --files.`;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return /^(ENOENT|ENOTDIR)$/.test(code)
      ? `there is no file ${path}. Paths begin at the folder of the manifest, or at --files.`
      : `${path} cannot be read (${code}).`;
  }
  if (!stat.isFile()) return `${path} is not a file.`;
  // The service takes no other names.
  if (/^$|\s/.test(extname(path))) return `${path} needs an extension without spaces, such as .jpg.`;
  // The service's own limit.
  return stat.size < 2 ** 31 ? undefined : `${path} is too large: files must be smaller than 2^31 bytes.`;
}

function isOutside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  // Between two drives of Windows there is no relative path.
  return isAbsolute(fromFolder) || /^\.\.([/\\]|$)/.test(fromFolder);
}

async function hash(path: string): Promise<string> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(path), digest).catch(({ code }: NodeJS.ErrnoException) => {
    throw new FailedError(`${path} can no longer be read (${code}).`);
  });
  return digest.digest('hex');
}
