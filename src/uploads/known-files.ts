import type { Address } from '@srr-gateway/common/address';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import type { FileState } from '../clients/commerce/commerce.ts';
import {
  type FileCategory,
  type FileKey,
  fileCategories,
  fileKeyText,
  type KnownFile,
  type UploadFile,
} from '../model/file.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db } from '../store/store.ts';
import type { Tables, UploadTable } from '../store/tables.ts';

/**
 * The issuer's files with one of these names or permanent addresses, among those that the gateway has signed
 * for.
 */
export async function findFiles(
  db: Db,
  issuer: Address,
  { filenames = [], urls = [] }: { filenames?: readonly string[]; urls?: readonly string[] },
): Promise<KnownFile[]> {
  if (filenames.length === 0 && urls.length === 0) return [];
  const rows = await db
    .selectFrom('upload')
    .select(['filename', 'category', 'content_type', 'final_url', 'cid'])
    .where('issuer', '=', issuer)
    .where(({ eb, or }) => or([isNamed(eb, filenames), eb('final_url', '=', anyOf(urls))]))
    .execute();
  return rows.map((row) => ({ ...fileOfRow(row), cid: row.cid }));
}

/**
 * Condition: the file has one of these names. It lists the categories because they come first in the index: without
 * them all entries of the issuer would be read.
 */
export const isNamed = (eb: ExpressionBuilder<Tables, 'upload'>, filenames: readonly string[]) =>
  eb.and([eb('category', '=', anyOf(fileCategories)), eb('filename', '=', anyOf(filenames))]);

export const fileOfRow = (
  row: Pick<Selectable<UploadTable>, 'filename' | 'category' | 'content_type' | 'final_url'>,
): UploadFile => ({
  filename: row.filename,
  category: row.category as FileCategory,
  contentType: row.content_type,
  finalUrl: row.final_url,
});

/** Sorts files before a write: two transactions that write the same rows in different orders could deadlock. */
export const inWriteOrder = <T extends FileKey>(files: readonly T[]): T[] =>
  files.toSorted((one, other) => (fileKeyText(one) < fileKeyText(other) ? -1 : 1));

/**
 * Stores the hashes of ready files in one statement, so that the same content need not be uploaded again. Returns
 * the hashes that the caller announced, in the order of the files; null where none was announced.
 */
export async function recordContents(
  db: Db,
  issuer: Address,
  files: readonly (FileKey & Pick<FileState, 'hash' | 'cid' | 'size'>)[],
): Promise<(string | null)[]> {
  if (files.length === 0) return [];
  const ready = inWriteOrder(files).map(({ category, filename, hash, cid, size }) => ({
    category,
    filename,
    hash,
    cid,
    size,
  }));
  const { rows } = await sql<FileKey & { announced: string | null }>`
    with ready as (
      select * from jsonb_to_recordset(${JSON.stringify(ready)}::jsonb)
        as file (category text, filename text, hash text, cid text, size bigint)
    ), changed as (
      update gateway.upload as known
      set hash = ready.hash, cid = ready.cid, size = ready.size, updated_at = clock_timestamp()
      from ready
      where known.issuer = ${issuer} and known.category = ready.category and known.filename = ready.filename
        and (known.hash, known.cid, known.size) is distinct from (ready.hash, ready.cid, ready.size)
    )
    select category, filename, known.expected_hash as announced
    from gateway.upload as known join ready using (category, filename)
    where known.issuer = ${issuer}`.execute(db);
  const announced = new Map(rows.map((row) => [fileKeyText(row), row.announced]));
  return files.map((file) => announced.get(fileKeyText(file)) ?? null);
}
