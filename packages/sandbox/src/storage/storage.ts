import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Address } from '@srr-gateway/common/address';
import { anyOf } from '../store/any-of.ts';
import type { Db, StoredFileTable } from '../store/tables.ts';
import type { FileLocation } from './file-location.ts';

export type StoredFile = Omit<StoredFileTable, 'size' | 'uploaded_at'> & { size: string; uploaded_at: Date };

/** Result of an upload. */
export type Received = 'stored' | 'name used' | 'too large';

class TooLarge extends Error {}

/** Uploaded objects: metadata in rows, bytes in files. The content of an object never changes. */
export class Storage {
  readonly #db: Db;
  readonly #objects: string;
  readonly #arriving: string;

  private constructor(db: Db, directory: string) {
    this.#db = db;
    this.#objects = join(directory, 'objects');
    this.#arriving = join(directory, 'arriving');
  }

  static async open(db: Db, directory: string): Promise<Storage> {
    const storage = new Storage(db, directory);
    await mkdir(storage.#objects, { recursive: true });
    // Remove partial uploads that a dead process left.
    await rm(storage.#arriving, { recursive: true, force: true });
    await mkdir(storage.#arriving);
    return storage;
  }

  /** An issuer's object of this name in any category; `undefined` when there is none. */
  async find(issuer: Address, filename: string): Promise<StoredFile | undefined> {
    return (await this.findAll(issuer, [filename])).get(filename);
  }

  /** The issuer's objects among these filenames, by filename; missing ones are left out. */
  async findAll(issuer: Address, filenames: Iterable<string>): Promise<Map<string, StoredFile>> {
    const rows = await this.#db
      .selectFrom('stored_file')
      .selectAll()
      .where('issuer', '=', issuer)
      .where(anyOf('filename', new Set(filenames)))
      .execute();
    return new Map(rows.map((row) => [row.filename, row]));
  }

  /** The issuer's objects among these ids, by id; missing ones are left out. */
  async findByIds(issuer: Address, ids: Iterable<string>): Promise<Map<string, StoredFile>> {
    const rows = await this.#db
      .selectFrom('stored_file')
      .selectAll()
      .where('issuer', '=', issuer)
      .where(anyOf('id', new Set(ids), 'uuid'))
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * Streams bytes to disk. The object exists once its row does; of concurrent uploads under one name, one
   * gets the row. When the stream throws, rethrows its error and leaves nothing behind.
   */
  async receive(
    location: FileLocation,
    contentType: string,
    bytes: Readable,
    limitBytes: number,
  ): Promise<Received> {
    const id = randomUUID();
    const arriving = join(this.#arriving, id);
    let size = 0;
    try {
      await pipeline(
        bytes,
        async function* counted(source: AsyncIterable<Buffer>) {
          for await (const chunk of source) {
            size += chunk.length;
            if (size >= limitBytes) throw new TooLarge();
            yield chunk;
          }
        },
        createWriteStream(arriving),
      );
      await rename(arriving, this.#path(id));
    } catch (error) {
      await rm(arriving, { force: true });
      if (error instanceof TooLarge) return 'too large';
      throw error;
    }
    const stored = await this.#db
      .insertInto('stored_file')
      .values({ id, ...location, content_type: contentType, size, hash: null, cid: null })
      .onConflict((conflict) => conflict.columns(['issuer', 'filename']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (stored !== undefined) return 'stored';
    await rm(this.#path(id), { force: true });
    return 'name used';
  }

  read(id: string, range?: { start: number; end: number }): ReadStream {
    return createReadStream(this.#path(id), range);
  }

  /** Writes the bytes of an object; the caller writes its row. */
  async restore(id: string, bytes: Uint8Array): Promise<void> {
    await writeFile(this.#path(id), bytes);
  }

  #path(id: string): string {
    return join(this.#objects, id);
  }
}
