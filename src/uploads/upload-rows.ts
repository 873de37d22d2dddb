import type { Address } from '@srr-gateway/common/address';
import { chunksOf } from '@srr-gateway/common/chunks';
import { type Insertable, sql } from 'kysely';
import type { FileState, SignedFile } from '../clients/commerce/commerce.ts';
import { type FileCategory, type FileKey, fileKeyText, signedUrlMs, type UploadFile } from '../model/file.ts';
import { type Page, pageOf } from '../model/page.ts';
import { anyOf } from '../store/any-of.ts';
import { ago, now } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';
import type { UploadTable } from '../store/tables.ts';
import type { UploadSpec } from './check-specs.ts';
import { fileOfRow, inWriteOrder, isNamed, recordContents } from './known-files.ts';

/** A statement takes at most 65,535 parameters, and a row has seven. */
const rowsAtOnce = 5_000;

/** Position of a file in its issuer's list, newest first. */
export interface UploadPosition extends FileKey {
  createdAt: Date;
}

/**
 * Whether a name is reserved for the content that was announced first. It is while a URL signed for the file is valid,
 * because the bytes may still come. After that, a caller who sent no bytes may announce other content.
 */
const isReserved = sql<boolean>`upload.updated_at > ${ago(signedUrlMs)}`;

export class UploadRows {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The hash and size that were announced when the upload was created; undefined for an unknown file. */
  async announced(
    issuer: Address,
    key: FileKey,
  ): Promise<{ hash: string | null; size: number | null } | undefined> {
    const row = await this.#db
      .selectFrom('upload')
      .select(['expected_hash', 'expected_size'])
      .where('issuer', '=', issuer)
      .where('category', '=', key.category)
      .where('filename', '=', key.filename)
      .executeTakeFirst();
    return (
      row && { hash: row.expected_hash, size: row.expected_size === null ? null : Number(row.expected_size) }
    );
  }

  /** The issuer's files that this gateway has signed for, newest first. */
  async list(
    issuer: Address,
    page: { first: number; after?: UploadPosition | undefined },
  ): Promise<Page<UploadFile & UploadPosition>> {
    const { first, after } = page;
    let query = this.#db
      .selectFrom('upload')
      .select(['filename', 'category', 'content_type', 'final_url', 'created_at'])
      .where('issuer', '=', issuer)
      .orderBy('created_at', 'desc')
      .orderBy('category')
      .orderBy('filename')
      .limit(first + 1);
    if (after)
      query = query
        // The index is searched by this condition. The next one alone would read all pages before.
        .where('created_at', '<=', after.createdAt)
        .where((where) =>
          where.or([
            where('created_at', '<', after.createdAt),
            where(where.refTuple('category', 'filename'), '>', where.tuple(after.category, after.filename)),
          ]),
        );
    const { rows, more } = pageOf(await query.execute(), first);
    return { rows: rows.map((row) => ({ ...fileOfRow(row), createdAt: row.created_at })), more };
  }

  /** Stores the hashes of those files that are ready. */
  async storeStates(issuer: Address, keys: readonly FileKey[], states: FileState[]): Promise<void> {
    const files = states.map((state, i) => ({ ...state, ...(keys[i] as FileKey) }));
    await recordContents(
      this.#db,
      issuer,
      files.filter(({ hash, cid }) => hash && cid),
    );
  }

  /**
   * Which of these names have content already, or are reserved for other content than the announced one. For specs
   * whose content `knownContent` did not find.
   */
  async takenNames(issuer: Address, specs: UploadSpec[]): Promise<Set<string>> {
    const hashes = new Map(specs.flatMap(({ filename, hash }) => (hash ? [[filename, hash]] : [])));
    if (hashes.size === 0) return new Set();
    const rows = await this.#db
      .selectFrom('upload')
      .select(['filename', 'hash', 'expected_hash', isReserved.as('reserved')])
      .where('issuer', '=', issuer)
      .where((eb) => isNamed(eb, [...hashes.keys()]))
      .execute();
    const taken = rows.filter(({ filename, hash, expected_hash: announced, reserved }) => {
      if (hash !== null) return true;
      return reserved && announced !== null && announced !== hashes.get(filename);
    });
    return new Set(taken.map((row) => row.filename));
  }

  /** For each spec, the first file of its category with the announced content; undefined if there is none. */
  async knownContent(issuer: Address, specs: UploadSpec[]): Promise<(UploadFile | undefined)[]> {
    const hashes = specs.flatMap(({ hash }) => hash ?? []);
    if (hashes.length === 0) return [];
    const rows = await this.#db
      .selectFrom('upload')
      .select(['hash', 'filename', 'category', 'content_type', 'final_url'])
      .where('issuer', '=', issuer)
      .where('hash', '=', anyOf(hashes))
      // An issuance refuses a file whose content is not the one that was announced.
      .where(({ or, eb }) => or([eb('expected_hash', 'is', null), eb('expected_hash', '=', eb.ref('hash'))]))
      // Of equal keys the map has the last row. It must be the same file each time: callers compare its id.
      .orderBy('created_at', 'desc')
      .orderBy('filename', 'desc')
      .execute();
    const known = new Map(rows.map((row) => [`${row.category} ${row.hash}`, row]));
    return specs.map(({ category, hash }) => {
      const row = hash === undefined ? undefined : known.get(`${category} ${hash}`);
      return row && fileOfRow(row);
    });
  }

  /**
   * Stores the service's answer about the files, and what the caller announced. Returns the names that another
   * call has reserved for other content.
   */
  async storeSigned(
    issuer: Address,
    specs: readonly (FileKey & Partial<UploadSpec>)[],
    signed: SignedFile[],
  ): Promise<Set<string>> {
    const hashes = new Map(specs.map((spec) => [fileKeyText(spec), spec.hash]));
    const taken = new Set<string>();
    const unsorted = specs.map((spec, i) => ({
      issuer,
      filename: spec.filename,
      category: spec.category,
      content_type: (signed[i] as SignedFile).contentType,
      final_url: (signed[i] as SignedFile).finalUrl,
      expected_hash: spec.hash ?? null,
      expected_size: spec.size === undefined ? null : String(spec.size),
    }));
    const rows = inWriteOrder(unsorted);
    for (const chunk of chunksOf(rows, rowsAtOnce))
      for (const { category, filename, expected_hash } of await this.#insert(chunk)) {
        const hash = hashes.get(fileKeyText({ category: category as FileCategory, filename }));
        if (hash !== undefined && expected_hash !== hash) taken.add(filename);
      }
    return taken;
  }

  #insert(rows: Insertable<UploadTable>[]) {
    return this.#db
      .insertInto('upload')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['issuer', 'category', 'filename']).doUpdateSet((set) => ({
          content_type: set.ref('excluded.content_type'),
          final_url: set.ref('excluded.final_url'),
          // Issuances may rely on the content for which a name is reserved. A later signing without announced values
          // must not erase stored ones.
          expected_hash: sql<string>`case when ${isReserved} then coalesce(upload.expected_hash, excluded.expected_hash)
            else coalesce(excluded.expected_hash, upload.expected_hash) end`,
          expected_size: sql<string>`case
            when ${isReserved} and upload.expected_hash <> coalesce(excluded.expected_hash, '') then upload.expected_size
            when upload.expected_hash <> excluded.expected_hash then excluded.expected_size
            else coalesce(excluded.expected_size, upload.expected_size) end`,
          updated_at: now,
        })),
      )
      .returning(['category', 'filename', 'expected_hash'])
      .execute();
  }
}
