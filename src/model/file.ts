/** The categories of a file, as the service writes them. */
export const fileCategories = [
  'non_attachment_file',
  'artwork',
  'certificate',
  'for_authenticity',
  'installation',
] as const;

export type FileCategory = (typeof fileCategories)[number];

/** What names an issuer's file at the service. */
export interface FileKey {
  filename: string;
  category: FileCategory;
}

/** A file's key as text, for maps and messages. */
export const fileKeyText = ({ category, filename }: FileKey): string => `${category}/${filename}`;

/** The state of a file at the issuance service, as clients see it (`UploadStatus` in the schema). */
export type UploadStatus = 'AWAITING_BYTES' | 'CALCULATING' | 'READY' | 'FAILED';

/** The facts of an issuer's file at the service that never change. */
export interface UploadFile extends FileKey {
  contentType: string;
  finalUrl: string;
}

/** An issuer's file that the gateway has signed for. */
export interface KnownFile extends UploadFile {
  /** Null until the service has calculated it. */
  cid: string | null;
}
