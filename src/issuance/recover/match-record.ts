import type { Address } from '@srr-gateway/common/address';
import { canonicalJson } from '@srr-gateway/common/canonical-json';
import type { MintedRecord } from '../../model/record.ts';
import type { Db } from '../../store/store.ts';
import type { EntryRow, Files } from '../flow.ts';
import { fileUrls } from '../metadata-document.ts';

/** Fields that the service rewrites or fills. It publishes the others as they were sent. */
const rewritten = new Set([
  '$schema',
  '$schemaIntegrity',
  'thumbnailURL',
  'image',
  'external_url',
  'digitalComponents',
  'attachmentFiles',
  'contractTerms',
]);

/** Known CIDs of published files, by the files' addresses. */
export type FileCids = ReadonlyMap<string, string>;

/** Reads the known CIDs of the files that the entries' documents name. */
export async function fileCids(
  files: Pick<Files, 'find'>,
  db: Db,
  issuer: Address,
  entries: EntryRow[],
): Promise<FileCids> {
  const urls = entries.flatMap((entry) => fileUrls(payloadOf(entry).metadata).map(({ url }) => url));
  const known = await files.find(db, issuer, { urls });
  return new Map(known.flatMap(({ finalUrl, cid }) => (cid === null ? [] : [[finalUrl, cid]])));
}

const payloadOf = (entry: EntryRow) =>
  entry.payload as {
    artistAddress: string;
    collectionAddress?: string;
    metadata: Record<string, unknown>;
  };

/**
 * Whether a record on chain may be that of an entry. Compares what the caller wrote into the document, and
 * the files: works of a series may differ in their pictures alone.
 */
export function isSameRecord(entry: EntryRow, minted: MintedRecord, cids: FileCids): boolean {
  const { metadata } = payloadOf(entry);
  const { document } = minted;
  if (document === undefined || !isOfSamePlace(entry, minted)) return false;
  const isWritten = Object.entries(metadata).every(
    ([key, value]) => rewritten.has(key) || canonicalJson(value) === canonicalJson(document[key]),
  );
  if (!isWritten) return false;
  const text = JSON.stringify(document);
  return fileUrls(metadata).every(({ url }) => text.includes(cids.get(url) ?? ''));
}

/** Whether a record on chain may be that of an entry, but its document could not be read. */
export const mayBeUnread = (entry: EntryRow, minted: MintedRecord): boolean =>
  minted.document === undefined && minted.metadataCID !== null && isOfSamePlace(entry, minted);

function isOfSamePlace(entry: EntryRow, { artist, collection }: MintedRecord): boolean {
  const { artistAddress, collectionAddress } = payloadOf(entry);
  return (
    artist?.toLowerCase() === artistAddress.toLowerCase() &&
    (collection ?? '').toLowerCase() === (collectionAddress ?? '').toLowerCase()
  );
}
