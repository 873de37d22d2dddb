/** How far a file is at the service, as clients see it (`UploadStatus` in the schema). */
export type UploadStatus = 'AWAITING_BYTES' | 'CALCULATING' | 'READY' | 'FAILED';
