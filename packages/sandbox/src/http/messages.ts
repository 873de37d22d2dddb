/**
 * The messages of the document's tables that the sandbox sends without a fault, in the same order. The others are in
 * `faults/issue-effects.ts`.
 */

/** Per-entry codes: `message.results[*].message` of a refused issue request. */
export const entryMessages = {
  duplicateMetadata: 'DUPLICATE_METADATA',
  duplicateChip: 'DUPLICATE_CHIP',
  invalidChip: 'INVALID_CHIP',
  duplicateExternalId: 'DUPLICATE_EXTERNAL_ID',
  unknownArtist: 'UNKNOWN_ARTIST',
  cancelled: 'SRR_NOT_CREATED: Not created because there is SRR in the same batch that error',
  unknown: (externalId: string) => `UNKNOWN_ERROR: external ID: ${externalId}.`,
} as const;

/** Request-level messages of `POST /srrs`. Where the document ends in dots, the rest is the sandbox's own. */
export const requestMessages = {
  metadataInvalid: (index: number, details: string[]) =>
    `payload.${index}.metadata is invalid. Check it against the metadata JSON schema. Details: ${details.join(', ')}`,
  metadataMissing: 'Some of the metadata is not defined',
  conversionFailed: (reason: string) => `Some metadata is failed to be converted: ${reason}`,
  addressNotFound: (addresses: string[]) => `Address not found: ${addresses.join(', ')}`,
  fileUrlNotAllowed: (files: string[]) =>
    `File URLs must be service storage URLs (the finalUrl returned by the signed-URL endpoint) or ipfs:// URLs (metadata files only). ${files.join(', ')}`,
  fileNotPublic: (files: string[]) =>
    `Metadata file URLs (thumbnailURL, image, contractTerms.fileURL) must be publicly accessible (category non_attachment_file or artwork). ${files.join(', ')}`,
  metadataFileNotFound: (files: string[]) => `Metadata file(s) not found in storage. ${files.join(', ')}`,
  metadataFileNotReady: (files: string[]) =>
    `Metadata file(s) not ready for IPFS publication (CID still being calculated). ${files.join(', ')}`,
  attachmentNotFound: (files: string[]) =>
    `One or more attachment files were not found in storage. ${files.join(', ')}`,
  attachmentNotReady: (url: string) =>
    `Attachment hash not ready for ${url}. Wait until fileMetadata returns it.`,
  duplicateRequestId: 'Duplicate Request Error: Same requestId already logged',
  duplicateContent: (status: 'in_progress' | 'successful') =>
    `Request Content Error: Current request already logged with status ${status}`,
} as const;

/** Details of `metadataInvalid`. */
export const metadataMessages = {
  required: (property: string) => `should have required property '${property}'`,
  additional: 'should NOT have additional properties',
  notAllowed: 'must be equal to one of the allowed values',
  schemaUnknown: '$schema path is invalid, file is not found',
  integrityMismatch: '$schemaIntegrity does not match $schema digest',
  royaltyOutOfRange: 'royalty rate is out of the acceptable range of 0 to 100',
} as const;

/** Messages of `signedUrls` and `fileMetadata`. */
export const fileMessages = {
  extensionMissing: 'extension is missing',
  spaceNotAllowed: 'space is not allowed',
  stillCalculating: 'HASH_STILL_IN_CALCULATION',
} as const;

/** Faults of one field of a body. Texts that the document does not show follow the form of those it shows. */
export const fieldMessages = {
  empty: (name: string) => `${name} should not be empty`,
  noText: (name: string) => `${name} must be a string`,
  noTexts: (name: string) => `each value in ${name} must be a string`,
  noFlag: (name: string) => `${name} must be a boolean value`,
  noList: (name: string) => `${name} must be an array`,
  noObject: (name: string) => `${name} must be an object`,
  noAddress: (name: string) => `${name} must be a valid Ethereum addresses`,
  noneOf: (name: string, values: readonly string[]) =>
    `${name} must be one of the following values: ${values.join(',')}`,
} as const;

/** Messages of a 500: a system behind the service refused. */
export const serviceMessages = {
  quotaExceeded: 'SERVICE_ERROR: Quota limit exceeded!',
  nfcExceeded: 'SERVICE_ERROR: LUW missing NFC tag!',
  refused: (reason: string) => `SERVICE_ERROR: ${reason}`,
  unknown: (externalId: string) => `UNKNOWN_ERROR: external ID: ${externalId}`,
} as const;
