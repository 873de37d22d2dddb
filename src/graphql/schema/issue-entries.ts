import type { Address } from '@srr-gateway/common/address';
import type { EntryInput, MetadataInput } from '../../issuance/input.ts';
import type { FileCategory } from '../../model/file.ts';
import { type FileRefValue, fileRef } from './file-ref.ts';
import type { IssueEntryValue, SRRMetadataValue } from './issue-input.ts';

/**
 * Converts the mutation's input to entries of an issuance: null becomes undefined, and file references are
 * resolved.
 */
export function issueEntries(issuer: Address, values: readonly IssueEntryValue[]): EntryInput[] {
  return values.map((value) => ({
    externalId: value.externalId,
    metadata: value.metadata ? metadata(issuer, value.metadata) : undefined,
    metadataJson: value.metadataJson ?? undefined,
    artistAddress: value.artistAddress,
    isPrimaryIssuer: value.isPrimaryIssuer,
    lockExternalTransfer: value.lockExternalTransfer,
    to: value.to ?? undefined,
    collectionAddress: value.collectionAddress ?? undefined,
    attachments: (value.attachments ?? []).map(({ name, category, file }) => ({
      name,
      category,
      file: fileRef(issuer, file),
    })),
    input: asSent(value),
  }));
}

function metadata(issuer: Address, value: SRRMetadataValue): MetadataInput {
  const terms = value.contractTerms;
  return {
    schemaVersion: value.schemaVersion ?? '2.2',
    name: value.name,
    title: value.title,
    medium: value.medium,
    yearOfCreation: value.yearOfCreation,
    thumbnail: fileRef(issuer, value.thumbnail),
    image: fileRef(issuer, value.image),
    description: value.description ?? undefined,
    externalUrl: value.externalUrl ?? undefined,
    size: value.size ?? undefined,
    edition: value.edition ?? undefined,
    contractTerms: terms
      ? {
          royaltyRate: terms.royaltyRate ?? undefined,
          file: terms.file ? fileRef(issuer, terms.file) : undefined,
        }
      : undefined,
    note: value.note ?? undefined,
    isDigital: value.isDigital ?? undefined,
    chipUIDs: value.chipUIDs ?? undefined,
  };
}

/** The entry as the caller wrote it, with the schema's enum names and without absent fields. */
function asSent(value: IssueEntryValue): Record<string, unknown> {
  const { metadata, attachments } = value;
  const terms = metadata?.contractTerms;
  return {
    ...value,
    ...(metadata && {
      metadata: {
        ...metadata,
        thumbnail: fileAsGiven(metadata.thumbnail),
        image: fileAsGiven(metadata.image),
        ...(terms?.file && { contractTerms: { ...terms, file: fileAsGiven(terms.file) } }),
      },
    }),
    ...(attachments && {
      attachments: attachments.map((attachment) => ({
        ...attachment,
        category: enumName(attachment.category),
        file: fileAsGiven(attachment.file),
      })),
    }),
  };
}

const fileAsGiven = ({ file, ...ref }: FileRefValue) => ({
  ...ref,
  ...(file && { file: { ...file, category: enumName(file.category) } }),
});

/** `FileCategory` in the schema is the service's name in capitals. */
const enumName = (category: FileCategory) => category.toUpperCase();
