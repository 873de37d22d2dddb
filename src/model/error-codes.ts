/** All error codes (`ErrorCode` in the schema), and what they mean. */
export const errorCodes = {
  INVALID_INPUT: 'A value of the input is not valid. The path says where.',
  UNAUTHENTICATED: 'The request has no credentials, or its credentials are not valid.',
  FORBIDDEN:
    'The credentials are valid, but their scopes do not cover this, or the issuance service or its storage refuses access.',
  NOT_FOUND: 'The object does not exist, or it belongs to another issuer.',
  IDEMPOTENCY_CONFLICT: 'The requestId was used before with other content. Nothing was done.',
  DUPLICATE_METADATA:
    'A record with the same metadata and artist exists already, or occurs twice in the request.',
  DUPLICATE_CHIP: 'A chip UID belongs to another record already, or occurs in two entries of the request.',
  INVALID_CHIP: 'A chip UID is malformed or not accepted.',
  DUPLICATE_EXTERNAL_ID: 'The externalId was used before, or occurs twice in the request.',
  UNKNOWN_ARTIST: 'The artistAddress is not the wallet address of a licensed user.',
  SRR_NOT_CREATED:
    'The record was not created, usually because another entry of the same atomic request failed.',
  METADATA_INVALID: 'The metadata does not fit its schema version.',
  METADATA_MISSING: 'An entry has no metadata.',
  METADATA_CONVERSION_FAILED: 'The issuance service could not upgrade the metadata to the current schema.',
  ADDRESS_INVALID: 'An address is malformed, or is the zero address.',
  ADDRESS_NOT_FOUND: 'The issuer or artist is not a licensed user.',
  EXTERNAL_ID_INVALID: 'An externalId is empty or not text.',
  FILE_URL_NOT_ALLOWED:
    'A file address is neither a finalUrl of the issuance service nor an ipfs:// address.',
  FILE_NOT_PUBLIC: 'The metadata names a file of a private category.',
  FILE_NOT_FOUND: 'The issuance service does not have a file, because it was never uploaded.',
  FILE_NOT_READY: 'A file has no hash or CID: they are still being calculated, or could not be.',
  ATTACHMENT_NOT_FOUND: 'An attachment was never uploaded.',
  ATTACHMENT_NOT_READY: 'The hash of an attachment is still being calculated.',
  DUPLICATE_REQUEST_ID: 'The issuance service already has this requestId on record.',
  DUPLICATE_REQUEST_CONTENT: 'The issuance service is processing or has processed an identical request.',
  FILENAME_EXTENSION_MISSING: 'A filename has no extension.',
  FILENAME_HAS_SPACE: 'A filename contains a space.',
  FILENAME_TAKEN:
    'A filename is in use already, and its content cannot change. Each issuer can use a name once.',
  CATEGORY_INVALID: 'The file category does not exist, or is not allowed at this place.',
  FILE_TOO_LARGE: 'A file is too large. Files must be smaller than 2^31 bytes.',
  CONTENT_MISMATCH: 'The bytes or their Content-Type are not the ones that were announced.',
  QUOTA_EXCEEDED: 'The issuer’s issuance quota is used up.',
  NFC_ALLOWANCE_EXCEEDED: 'The chip UIDs of the request exceed the issuer’s NFC-tag allowance.',
  SERVICE_ERROR:
    'The issuance service reports that one of its own steps failed. upstreamMessage has its text.',
  UNKNOWN_ERROR:
    'The failure is not classified. If it is the issuance service’s, upstreamMessage has its text; if it is the gateway’s own, the gateway’s log has its errorId.',
  MINING_FAILED: 'The record or collection was accepted, but its transaction could not be mined.',
  UPSTREAM_UNAVAILABLE: 'A system behind the gateway cannot be reached. Try again.',
  UPSTREAM_TIMEOUT: 'A system behind the gateway did not answer in time. Try again.',
  UPSTREAM_BAD_RESPONSE: 'A system behind the gateway gave an answer that cannot be used.',
  RATE_LIMITED: 'There are too many requests, or too many records under way. Try again later.',
  SUBSCRIBER_LAGGED:
    'A subscription was too slow and was ended. Subscribe again with the cursor in the error’s extensions as after.',
  CURSOR_EXPIRED:
    'The block at which this list was read is gone: the subgraph pruned it, or the chain was reorganised. The error’s extensions have continueAfter, a cursor after the same item at the newest block.',
} as const;

export type ErrorCode = keyof typeof errorCodes;

/**
 * The remedy of errors that another input value does not solve. Agents' next steps (`src/mcp/`) and the gallery's
 * advice are derived from it.
 *
 * - `later`: the same request, later.
 * - `operator`: only the issuance service's operator can do something.
 * - `retry`: the same record in a new request, under another externalId.
 * - `wait`: the service itself, which may still mint it; if it does not, as `retry`.
 * - `known`: nothing. The record, or another with the same value, was issued before.
 * - `files`: the file, uploaded again.
 */
export const solvedBy: Partial<
  Record<ErrorCode, 'later' | 'operator' | 'retry' | 'wait' | 'known' | 'files'>
> = {
  SERVICE_ERROR: 'later',
  UPSTREAM_UNAVAILABLE: 'later',
  UPSTREAM_TIMEOUT: 'later',
  UPSTREAM_BAD_RESPONSE: 'later',
  RATE_LIMITED: 'later',
  QUOTA_EXCEEDED: 'operator',
  NFC_ALLOWANCE_EXCEEDED: 'operator',
  UNKNOWN_ERROR: 'operator',
  MINING_FAILED: 'wait',
  SRR_NOT_CREATED: 'retry',
  DUPLICATE_METADATA: 'known',
  DUPLICATE_CHIP: 'known',
  DUPLICATE_EXTERNAL_ID: 'known',
  DUPLICATE_REQUEST_ID: 'known',
  DUPLICATE_REQUEST_CONTENT: 'known',
  FILE_NOT_FOUND: 'files',
  FILE_NOT_READY: 'files',
  CONTENT_MISMATCH: 'files',
  ATTACHMENT_NOT_FOUND: 'files',
  ATTACHMENT_NOT_READY: 'files',
};
