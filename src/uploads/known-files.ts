import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import type { FileState } from '../clients/commerce/commerce.ts';
import type { FileCategory, FileKey, KnownFile } from '../model/file.ts';
import type { Db } from '../store/store.ts';

/**
 * The issuer's files with one of these names or permanent addresses, from those that the gateway has signed
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
    // Pass arrays: one parameter for each name would exceed the limit of a statement.
    .where((where) =>
      where.or([
        where('filename', '=', sql<string>`any(${filenames}::text[])`),
        where('final_url', '=', sql<string>`any(${urls}::text[])`),
      ]),
    )
    .execute();
  return rows.map((row) => ({
    filename: row.filename,
    category: row.category as FileCategory,
    contentType: row.content_type,
    finalUrl: row.final_url,
    cid: row.cid,
  }));
}

/** Stores the hash of a ready file. Returns the hash that the caller announced, or null. */
export async function recordContent(
  db: Db,
  issuer: Address,
  { category, filename }: FileKey,
  { hash, cid, size }: Pick<FileState, 'hash' | 'cid' | 'size'>,
): Promise<string | null> {
  const row = await db
    .updateTable('upload')
    .set({
      hash: hash ?? null,
      cid: cid ?? null,
      size: size === undefined ? null : String(size),
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('issuer', '=', issuer)
    .where('category', '=', category)
    .where('filename', '=', filename)
    .returning('expected_hash')
    .executeTakeFirst();
  return row?.expected_hash ?? null;
}
