/** The state of a file at the issuance service, as clients see it (`UploadStatus` in the schema). */
export type UploadStatus = 'AWAITING_BYTES' | 'CALCULATING' | 'READY' | 'FAILED';
