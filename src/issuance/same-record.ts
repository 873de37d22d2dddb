import { canonicalJson } from '../lib/canonical-json.ts';
import type { EntryRow, MintedRecord } from './flow.ts';

/** What the service rewrites, fills or folds in at issuance; the rest it publishes as it was sent. */
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

/**
 * Whether a record on chain is the one that an entry asked for. Identical metadata is issued only once for
 * an artist, so what the caller wrote into the document tells records apart.
 */
export function isSameRecord(entry: EntryRow, minted: MintedRecord): boolean {
  const { artistAddress, collectionAddress, metadata } = entry.payload as {
    artistAddress: string;
    collectionAddress?: string;
    metadata: Record<string, unknown>;
  };
  if (minted.artist?.toLowerCase() !== artistAddress.toLowerCase()) return false;
  if ((minted.collection ?? '').toLowerCase() !== (collectionAddress ?? '').toLowerCase()) return false;
  const { document } = minted;
  return (
    document !== undefined &&
    Object.entries(metadata).every(
      ([key, value]) => rewritten.has(key) || canonicalJson(value) === canonicalJson(document[key]),
    )
  );
}
