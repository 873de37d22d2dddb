import type { FileAddresses } from './file-references.ts';
import type { EntryInput } from './input.ts';
import { type DocumentNames, metadataDocument, withChipAlias } from './metadata-document.ts';

/** Builds an element of `payload[]` of `POST /commerce/srrs`. */
export function payloadOf(
  entry: EntryInput,
  names: DocumentNames,
  addresses: FileAddresses,
): Record<string, unknown> {
  const metadata = entry.metadata
    ? metadataDocument(entry.metadata, names, addresses.urlOf)
    : withChipAlias(entry.metadataJson as Record<string, unknown>, names.vendorPrefix);
  return {
    externalId: entry.externalId,
    metadata,
    artistAddress: entry.artistAddress,
    isPrimaryIssuer: entry.isPrimaryIssuer,
    lockExternalTransfer: entry.lockExternalTransfer,
    ...(entry.to && { to: entry.to }),
    ...(entry.collectionAddress && { collectionAddress: entry.collectionAddress }),
    ...(entry.attachments.length > 0 && {
      attachmentFiles: entry.attachments.map(({ name, category, file }) => ({
        name,
        category,
        url: addresses.urlOf(file),
      })),
    }),
  };
}
