import type { Credentials } from '../../clients/commerce/commerce.ts';
import type { FileKey } from '../../model/file.ts';
import { fileAddresses, filesNamed, type UrlOf } from '../files/file-references.ts';
import type { FlowDeps } from '../flow.ts';
import type { EntryInput } from '../input.ts';
import { type DocumentNames, metadataDocument, withChipAlias } from '../metadata-document.ts';

/**
 * Builds the payloads, with permanent addresses in place of file references, and lists the files to wait for.
 */
export async function buildPayloads(
  deps: Pick<FlowDeps, 'db' | 'files' | 'commerce' | 'names'>,
  credentials: Credentials,
  entries: EntryInput[],
  signal?: AbortSignal,
): Promise<{ payloads: Record<string, unknown>[]; files: FileKey[] }> {
  const references = entries.flatMap((entry, i) =>
    filesNamed(entry).map(({ ref, path }) => ({ ref, path: ['input', 'entries', `${i}`, ...path] })),
  );
  const { urlOf, files } = await fileAddresses(deps, credentials, references, signal);
  return { payloads: entries.map((entry) => payloadOf(entry, deps.names, urlOf)), files };
}

/** Builds an element of `payload[]` of `POST /commerce/srrs`. */
function payloadOf(entry: EntryInput, names: DocumentNames, urlOf: UrlOf): Record<string, unknown> {
  const metadata = entry.metadata
    ? metadataDocument(entry.metadata, names, urlOf)
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
        url: urlOf(file),
      })),
    }),
  };
}
