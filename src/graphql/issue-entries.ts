import type { EntryInput, FileRef, MetadataInput } from '../issuance/input.ts';
import { type Fault, GatewayError } from '../lib/errors.ts';
import { type FileRefValue, fileRef } from './types/file-ref.ts';
import type { IssueEntryValue, SRRMetadataValue } from './types/issue-input.ts';

/**
 * GraphQL's input as the flow takes it: null and absent become one, file references are read.
 * @throws GatewayError with every reference that names nothing; `root` leads to the list.
 */
export function issueEntries(values: readonly IssueEntryValue[], root: string[]): EntryInput[] {
  const faults: Fault[] = [];
  const ref = (value: FileRefValue, path: string[]): FileRef => {
    try {
      return fileRef(value, path);
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      faults.push(...error.faults);
      return { kind: 'ipfs', reference: '' };
    }
  };
  const entries = values.map((value, i): EntryInput => {
    const path = [...root, `${i}`];
    return {
      externalId: value.externalId,
      metadata: value.metadata ? metadata(value.metadata, [...path, 'metadata'], ref) : undefined,
      metadataJson: value.metadataJson ?? undefined,
      artistAddress: value.artistAddress,
      isPrimaryIssuer: value.isPrimaryIssuer,
      lockExternalTransfer: value.lockExternalTransfer,
      to: value.to ?? undefined,
      collectionAddress: value.collectionAddress ?? undefined,
      attachments: (value.attachments ?? []).map((attachment, n) => ({
        name: attachment.name,
        category: attachment.category,
        file: ref(attachment.file, [...path, 'attachments', `${n}`, 'file']),
      })),
    };
  });
  if (faults.length > 0) throw new GatewayError(faults as [Fault, ...Fault[]]);
  return entries;
}

function metadata(
  value: SRRMetadataValue,
  path: string[],
  ref: (value: FileRefValue, path: string[]) => FileRef,
): MetadataInput {
  const terms = value.contractTerms;
  return {
    schemaVersion: value.schemaVersion ?? '2.2',
    name: value.name,
    title: value.title,
    medium: value.medium,
    yearOfCreation: value.yearOfCreation,
    thumbnail: ref(value.thumbnail, [...path, 'thumbnail']),
    image: ref(value.image, [...path, 'image']),
    description: value.description ?? undefined,
    externalUrl: value.externalUrl ?? undefined,
    size: value.size ?? undefined,
    edition: value.edition ?? undefined,
    contractTerms: terms
      ? {
          royaltyRate: terms.royaltyRate ?? undefined,
          file: terms.file ? ref(terms.file, [...path, 'contractTerms', 'file']) : undefined,
        }
      : undefined,
    note: value.note ?? undefined,
    isDigital: value.isDigital ?? undefined,
    chipUIDs: value.chipUIDs ?? undefined,
  };
}
