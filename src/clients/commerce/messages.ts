import type { ErrorCode } from '../../model/errors.ts';

/**
 * What a message proves about the request that it answers, whatever its status, and about an earlier identical one
 * whose answer was lost. `src/issuance/refusal-report.ts` draws the conclusions.
 *
 * - `NOTHING`: the text names no cause, so only the status counts.
 * - `UNREAD`: the service refused before it read the request. This says nothing about the earlier one.
 * - `READ`: the service read the request. The cause may have come since the earlier one, or be its success: a
 *   used externalId, a withdrawn licence. It may come after records were created if the status is 500.
 * - `NOTHING_CREATED`: as `READ`, but it comes before any record is created, even with status 500.
 * - `INPUT_AT_FAULT`: the input alone is the cause, so the earlier request was refused too.
 */
export type Proof = 'NOTHING' | 'UNREAD' | 'READ' | 'NOTHING_CREATED' | 'INPUT_AT_FAULT';

/** A kind of message in the API document. */
export interface MessageKind {
  form: RegExp;
  code: ErrorCode;
  proves: Proof;
  /** What the caller should do, in the gateway's words. */
  advice: string | ((match: RegExpExecArray) => string);
  /** The field at fault, for messages that do not name it. */
  field?: readonly string[];
}

// Some texts begin with the service's own name where the API document has a neutral word, so match any word.
const serviceError = /^[A-Z]+(?:_[A-Z]+)*_ERROR:/;

/** All messages of the API document's error tables. The first match decides, so special forms come first. */
export const messageKinds: readonly MessageKind[] = [
  // Per-entry issuance codes
  {
    form: /^DUPLICATE_METADATA\b/,
    code: 'DUPLICATE_METADATA',
    proves: 'READ',
    advice:
      'A record with the same metadata and artist exists already. Change the metadata, or leave the entry out.',
    field: ['metadata'],
  },
  {
    form: /^DUPLICATE_CHIP\b/,
    code: 'DUPLICATE_CHIP',
    proves: 'READ',
    advice: 'A chip UID already belongs to another record. Use a chip that is not registered yet.',
    field: ['metadata', 'chipUIDs'],
  },
  {
    form: /^INVALID_CHIP\b/,
    code: 'INVALID_CHIP',
    proves: 'INPUT_AT_FAULT',
    advice: 'A chip UID is malformed or not accepted. Check chipUIDs.',
    field: ['metadata', 'chipUIDs'],
  },
  {
    form: /^DUPLICATE_EXTERNAL_ID\b/,
    code: 'DUPLICATE_EXTERNAL_ID',
    proves: 'READ',
    advice: 'The service has this externalId already, and takes each only once. Choose a new one.',
    field: ['externalId'],
  },
  {
    form: /^UNKNOWN_ARTIST\b/,
    code: 'UNKNOWN_ARTIST',
    proves: 'READ',
    advice:
      'artistAddress is not the wallet of a known licensed user. Check it, or register the artist first.',
    field: ['artistAddress'],
  },
  {
    form: /^SRR_NOT_CREATED: Not created because there is SRR in the same batch/,
    code: 'SRR_NOT_CREATED',
    proves: 'READ',
    advice:
      'Not created, because another entry of the same request failed. Correct that entry and send all again.',
  },
  {
    form: /^SRR_NOT_CREATED\b/,
    code: 'SRR_NOT_CREATED',
    proves: 'READ',
    advice: 'The record could not be created. See the upstream message for the reason.',
  },
  {
    form: /^UNKNOWN_ERROR\b/,
    code: 'UNKNOWN_ERROR',
    proves: 'NOTHING',
    advice: 'The service failed on this entry and does not say why. Ask its operator, naming the externalId.',
  },

  // Metadata validation details, alone or after "Details:"
  {
    form: /should have required property '([^']*)'/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: (match) => `The metadata lacks the property "${match[1]}". Add it.`,
    field: ['metadata'],
  },
  {
    form: /should NOT have additional properties/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: 'The metadata has a property that its schema version does not define. Remove it.',
    field: ['metadata'],
  },
  {
    form: /must be equal to one of the allowed values/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice:
      'A metadata value is not among the values that its schema version allows. See the upstream message.',
    field: ['metadata'],
  },
  {
    form: /\$schema path is invalid, file is not found/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: '$schema names no schema that the service knows. Use the address of version 2.0, 2.1 or 2.2.',
    field: ['metadata', '$schema'],
  },
  {
    form: /\$schemaIntegrity does not match \$schema digest/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice:
      '$schemaIntegrity is not the digest of the schema that $schema names. Correct it, or leave it out.',
    field: ['metadata', '$schemaIntegrity'],
  },
  {
    form: /royalty rate is out of the acceptable range of 0 to 100/,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: 'contractTerms.royaltyRate must be between 0 and 100 percent.',
    field: ['metadata', 'contractTerms', 'royaltyRate'],
  },
  {
    form: /^payload\.\d+\.metadata is invalid\./,
    code: 'METADATA_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice:
      'The metadata does not fit the JSON schema of its version. See the upstream message for each place.',
    field: ['metadata'],
  },

  // Request-level 400 messages
  {
    form: /^payload\.\d+\.\w+ must be a valid Ethereum address/,
    code: 'ADDRESS_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: 'This is not an Ethereum address. Give 0x and 40 hex digits.',
  },
  {
    form: /^payload\.\d+\.externalId (?:should not be empty|must be a string)/,
    code: 'EXTERNAL_ID_INVALID',
    proves: 'INPUT_AT_FAULT',
    advice: 'externalId must be text that is not empty.',
  },
  {
    form: /^Some of the metadata is not defined/,
    code: 'METADATA_MISSING',
    proves: 'INPUT_AT_FAULT',
    advice: 'An entry has no metadata. Give every entry its metadata.',
    field: ['metadata'],
  },
  {
    form: /^Some metadata is failed to be converted: /,
    code: 'METADATA_CONVERSION_FAILED',
    proves: 'INPUT_AT_FAULT',
    advice: 'The metadata could not be upgraded to the current schema. Send it in version 2.2.',
    field: ['metadata'],
  },
  {
    form: /^Address not found: /,
    code: 'ADDRESS_NOT_FOUND',
    proves: 'READ',
    advice: 'An address is not the wallet of a known licensed user. Check it, or have it registered first.',
  },
  {
    form: /^File URLs must be /,
    code: 'FILE_URL_NOT_ALLOWED',
    proves: 'INPUT_AT_FAULT',
    advice:
      'The file is on a host that the service does not accept. Upload it and give its finalUrl, or give an ipfs:// address.',
  },
  {
    form: /^Metadata file URLs .*must be publicly accessible/s,
    code: 'FILE_NOT_PUBLIC',
    proves: 'INPUT_AT_FAULT',
    advice:
      'The file is in a private category. Upload it as non_attachment_file (or artwork) for use in metadata.',
  },
  {
    form: /^Metadata file\(s\) not found in storage/,
    code: 'FILE_NOT_FOUND',
    proves: 'READ',
    advice: 'The file was never uploaded. PUT its bytes to its signed URL first.',
  },
  {
    form: /^Metadata file\(s\) not ready for IPFS publication/,
    code: 'FILE_NOT_READY',
    proves: 'READ',
    advice: 'The cid of the file is still being calculated. Try again when fileMetadata shows it.',
  },
  {
    form: /^One or more attachment files were not found in storage/,
    code: 'ATTACHMENT_NOT_FOUND',
    proves: 'READ',
    advice: 'The attachment was never uploaded. PUT its bytes to its signed URL first.',
  },
  {
    form: /^Attachment hash not ready for /,
    code: 'ATTACHMENT_NOT_READY',
    proves: 'READ',
    advice: 'The hash of the attachment is still being calculated. Try again when fileMetadata shows it.',
  },
  {
    form: /^Duplicate Request Error: Same requestId already logged/,
    code: 'DUPLICATE_REQUEST_ID',
    proves: 'READ',
    advice:
      'This issuer has used this requestId before. Find out whether that request succeeded before you send a new one.',
  },
  {
    form: /^Request Content Error: Current request already logged with status \w+/,
    code: 'DUPLICATE_REQUEST_CONTENT',
    proves: 'READ',
    advice: 'The same entries are already being issued, or are issued. Do not send them again.',
  },
  {
    form: /extension is missing/,
    code: 'FILENAME_EXTENSION_MISSING',
    proves: 'READ',
    advice: 'The filename needs an extension, such as ".png".',
    field: ['filename'],
  },
  {
    form: /space is not allowed/,
    code: 'FILENAME_HAS_SPACE',
    proves: 'READ',
    advice: 'The filename must not contain a space.',
    field: ['filename'],
  },
  {
    form: /category must be one of the following values/,
    code: 'CATEGORY_INVALID',
    proves: 'READ',
    advice:
      'The category must be one of non_attachment_file, artwork, certificate, for_authenticity, installation.',
    field: ['category'],
  },

  // 500 messages
  {
    form: /Quota limit exceeded!/,
    code: 'QUOTA_EXCEEDED',
    proves: 'NOTHING_CREATED',
    advice: "The issuer's issuance quota is used up. Ask the service's operator for more.",
  },
  {
    form: /LUW missing NFC tag!/,
    code: 'NFC_ALLOWANCE_EXCEEDED',
    proves: 'NOTHING_CREATED',
    advice:
      "The request has more chip UIDs than the issuer's NFC-tag allowance. Send fewer, or ask the service's operator for more.",
  },
  {
    form: serviceError,
    code: 'SERVICE_ERROR',
    proves: 'NOTHING',
    advice: 'The service could not complete the request. See the upstream message for the reason.',
  },

  // 401 messages
  {
    form: /^Missing header/,
    code: 'UNAUTHENTICATED',
    proves: 'UNREAD',
    advice: 'The request lacks the API key or the issuer address. Give both.',
  },
  {
    form: /^API Key is not valid for /,
    code: 'UNAUTHENTICATED',
    proves: 'UNREAD',
    advice: 'The API key does not belong to this issuer address. Check both.',
  },
];
