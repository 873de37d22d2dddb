/** Categories of files, in the service's spelling. */
export const fileCategories = [
  'non_attachment_file',
  'artwork',
  'certificate',
  'for_authenticity',
  'installation',
] as const;

export type FileCategory = (typeof fileCategories)[number];

/** Identifies an issuer's file at the service. */
export interface FileKey {
  filename: string;
  category: FileCategory;
}

/** A file's key as text, for maps and messages. */
export const fileKeyText = ({ category, filename }: FileKey): string => `${category}/${filename}`;

/** The keys without duplicates. */
export const uniqueFiles = (keys: readonly FileKey[]): FileKey[] => [
  ...new Map(keys.map((key) => [fileKeyText(key), key])).values(),
];

/** State of a file at the issuance service (`UploadStatus` in the schema). */
export type UploadStatus = 'AWAITING_BYTES' | 'CALCULATING' | 'READY' | 'FAILED';

/** A file of an issuer, with the properties that never change. */
export interface UploadFile extends FileKey {
  contentType: string;
  finalUrl: string;
}

/** A file of an issuer for which the gateway has requested a signed URL. */
export interface KnownFile extends UploadFile {
  /** Null until the service has calculated it. */
  cid: string | null;
}

/** How long a signed URL is valid, as the service's document says. */
export const signedUrlMs = 15 * 60_000;
