import type { Credentials } from '../../clients/commerce/commerce.ts';
import { type FileKey, uniqueFiles } from '../../model/file.ts';
import { type FileAddresses, fileAddresses, referencesOf } from '../files/file-references.ts';
import type { FlowDeps } from '../flow.ts';
import type { EntryInput } from '../input.ts';
import { type DocumentNames, fileUrls, metadataDocument, withChipAlias } from '../metadata-document.ts';

/**
 * Builds the payloads, with permanent addresses in place of file references, and lists the files to wait for.
 */
export async function buildPayloads(
  deps: Pick<FlowDeps, 'db' | 'files' | 'commerce' | 'names'>,
  credentials: Credentials,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<{ payloads: Record<string, unknown>[]; files: FileKey[] }> {
  const placed = entries.flatMap((entry, i) =>
    referencesOf(entry).map(({ ref, path }) => ({ ref, path: ['input', 'entries', `${i}`, ...path] })),
  );
  const references = placed.map(({ ref }) => ref);
  const keys = references.flatMap((ref) => (ref.kind === 'key' ? [ref.key] : []));
  const urls = [
    ...references.flatMap((ref) => (ref.kind === 'finalUrl' ? [ref.url] : [])),
    ...entries.flatMap((entry) =>
      fileUrls((entry.metadataJson ?? {}) as Record<string, unknown>).map(({ url }) => url),
    ),
  ];
  const addresses = await fileAddresses(deps, credentials, placed, urls, signal);
  const named = [...keys, ...urls.flatMap((url) => addresses.keyOf(url) ?? [])];
  return {
    payloads: entries.map((entry) => payloadOf(entry, deps.names, addresses)),
    files: uniqueFiles(named),
  };
}

/** Builds an element of `payload[]` of `POST /commerce/srrs`. */
function payloadOf(
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
