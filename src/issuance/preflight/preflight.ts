import { sql } from 'kysely';
import type { FileCategory } from '../../commerce/commerce.ts';
import type { Address } from '../../lib/address.ts';
import type { Fault } from '../../lib/errors.ts';
import type { Db } from '../../store/store.ts';
import type { EntryInput } from '../input.ts';
import { checkEntries } from './check-entries.ts';
import { metadataUrls } from './metadata-files.ts';

/** The faults that these entries are refused for before anything is stored or sent. */
export async function preflight(
  { db, names }: { db: Db; names: { vendorPrefix: string } },
  issuer: Address,
  entries: EntryInput[],
): Promise<Fault[]> {
  const categories = await knownCategories(db, issuer, entries.flatMap(metadataUrls));
  return checkEntries(entries, {
    vendorPrefix: names.vendorPrefix,
    categoryOf: (url) => categories.get(url),
  });
}

/** Categories of the files behind these addresses, as far as the gateway signed them itself. */
async function knownCategories(
  db: Db,
  issuer: Address,
  urls: string[],
): Promise<ReadonlyMap<string, FileCategory>> {
  if (urls.length === 0) return new Map();
  const rows = await db
    .selectFrom('upload')
    .select(['final_url', 'category'])
    .where('issuer', '=', issuer)
    .where('final_url', '=', sql<string>`any(${urls}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.final_url, row.category as FileCategory]));
}
