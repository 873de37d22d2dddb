import type { Address } from '@srr-gateway/common/address';
import type { FileCategory, FileKey } from '../model/file.ts';
import type { Batching } from '../store/tables.ts';

/** The input of one `issueSRRs` call. The GraphQL layer has checked the scalars. */
export interface IssueInput {
  requestId?: string | undefined;
  batching: Batching;
  entries: EntryInput[];
}

/** One record to issue. */
export interface EntryInput {
  externalId: string;
  metadata?: MetadataInput | undefined;
  /** The caller's own document, file URLs included. */
  metadataJson?: unknown;
  artistAddress: Address;
  isPrimaryIssuer: boolean;
  lockExternalTransfer: boolean;
  to?: Address | undefined;
  collectionAddress?: Address | undefined;
  attachments: AttachmentInput[];
  /** The same entry in the mutation's names, stored to return it and to name the paths of faults. */
  input?: Record<string, unknown> | undefined;
}

/** A file that is attached to a record. */
export interface AttachmentInput {
  name: string;
  category: FileCategory;
  file: FileRef;
}

/** A reference to a file, in exactly one of these forms. */
export type FileRef =
  | { kind: 'key'; key: FileKey }
  | { kind: 'finalUrl'; url: string }
  | { kind: 'ipfs'; reference: string }
  /** An id that is not an upload's. The preflight refuses it together with the other faults. */
  | { kind: 'unknown'; id: string };

/** Text by language tag. */
export type LanguageMap = Record<string, string>;

/** Metadata in typed fields, from which the gateway builds the document. */
export interface MetadataInput {
  schemaVersion: string;
  name: string;
  title: LanguageMap;
  medium: LanguageMap;
  yearOfCreation: LanguageMap;
  thumbnail: FileRef;
  image: FileRef;
  description?: string | undefined;
  externalUrl?: string | undefined;
  size?: Record<string, unknown> | undefined;
  edition?: Record<string, unknown> | undefined;
  contractTerms?: { royaltyRate?: number | undefined; file?: FileRef | undefined } | undefined;
  note?: LanguageMap | undefined;
  isDigital?: boolean | undefined;
  chipUIDs?: string[] | undefined;
}
