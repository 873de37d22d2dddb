import { createHash } from 'node:crypto';
import { type Tree, treeOf } from './content.ts';
import type { FileVariants, Variants } from './variants.ts';

export const categories = [
  'certificate',
  'for_authenticity',
  'artwork',
  'installation',
  'non_attachment_file',
];
export const isPublic = (category: string) => category === 'artwork' || category === 'non_attachment_file';

/** A filename with a signed URL, and its bytes after the upload. */
export interface StoredFile {
  issuer: string;
  filename: string;
  category: string;
  contentType: string;
  finalUrl: string;
  bytes?: Buffer;
  putAt?: number;
  hash?: string;
  tree?: Tree;
}

/** The current state of a file. */
export interface FileNow {
  file: StoredFile;
  hash: string | undefined;
  cid: string | undefined;
  size: number;
  failure: string | null;
}

/** All files by issuer, category and name. */
export class Files {
  readonly #files = new Map<string, StoredFile>();
  readonly #variants: Variants;

  constructor(variants: Variants) {
    this.#variants = variants;
  }

  get all(): StoredFile[] {
    return [...this.#files.values()];
  }

  name(file: StoredFile): StoredFile {
    const known = this.#files.get(key(file));
    if (known) return known;
    this.#files.set(key(file), file);
    return file;
  }

  find(issuer: string, filename: string, category: string): StoredFile | undefined {
    return this.#files.get(key({ issuer, filename, category }));
  }

  byUrl(url: string): StoredFile | undefined {
    return this.all.find((file) => file.finalUrl === url);
  }

  async store(file: StoredFile, bytes: Buffer): Promise<void> {
    file.tree = await treeOf(bytes);
    file.hash = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
    file.bytes = bytes;
    file.putAt = Date.now();
  }

  /** The current state; undefined: the service cannot see the file in storage yet. */
  now(file: StoredFile | undefined): FileNow | undefined {
    if (file?.putAt === undefined) return undefined;
    const { files } = this.#variants;
    const own: FileVariants = { ...files, ...files.of[file.filename] };
    const age = Date.now() - file.putAt;
    if (age < own.invisibleMs) return undefined;
    const hashed = own.failure === null && age >= own.hashMs;
    return {
      file,
      hash: hashed ? file.hash : undefined,
      cid: hashed && age >= own.hashMs + own.cidMs ? file.tree?.cid : undefined,
      size: file.bytes?.length ?? 0,
      failure: own.failure,
    };
  }
}

const key = ({ issuer, filename, category }: Pick<StoredFile, 'issuer' | 'filename' | 'category'>) =>
  `${issuer.toLowerCase()}/${category}/${filename}`;
