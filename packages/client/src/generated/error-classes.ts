// Made from schema/gateway.graphql by `npm run codegen`.

import { GatewayError } from '../gateway-error.ts';

/** An address is malformed, or is the zero address. */
export class AddressInvalidError extends GatewayError<'ADDRESS_INVALID'> {}
/** The issuer or artist is not a licensed user. */
export class AddressNotFoundError extends GatewayError<'ADDRESS_NOT_FOUND'> {}
/** An attachment was never uploaded. */
export class AttachmentNotFoundError extends GatewayError<'ATTACHMENT_NOT_FOUND'> {}
/** The hash of an attachment is still being calculated. */
export class AttachmentNotReadyError extends GatewayError<'ATTACHMENT_NOT_READY'> {}
/** The file category does not exist, or is not allowed at this place. */
export class CategoryInvalidError extends GatewayError<'CATEGORY_INVALID'> {}
/** The bytes or their Content-Type are not the ones that were announced. */
export class ContentMismatchError extends GatewayError<'CONTENT_MISMATCH'> {}
/** The block at which this list was read is gone: the subgraph pruned it, or the chain was reorganised. The error’s extensions have continueAfter, a cursor after the same item at the newest block. */
export class CursorExpiredError extends GatewayError<'CURSOR_EXPIRED'> {}
/** A chip UID belongs to another record already, or occurs in two entries of the request. */
export class DuplicateChipError extends GatewayError<'DUPLICATE_CHIP'> {}
/** The externalId was used before, or occurs twice in the request. */
export class DuplicateExternalIdError extends GatewayError<'DUPLICATE_EXTERNAL_ID'> {}
/** A record with the same metadata and artist exists already, or occurs twice in the request. */
export class DuplicateMetadataError extends GatewayError<'DUPLICATE_METADATA'> {}
/** The issuance service is processing or has processed an identical request. */
export class DuplicateRequestContentError extends GatewayError<'DUPLICATE_REQUEST_CONTENT'> {}
/** The issuance service already has this requestId on record. */
export class DuplicateRequestIdError extends GatewayError<'DUPLICATE_REQUEST_ID'> {}
/** An externalId is empty or not text. */
export class ExternalIdInvalidError extends GatewayError<'EXTERNAL_ID_INVALID'> {}
/** A filename has no extension. */
export class FilenameExtensionMissingError extends GatewayError<'FILENAME_EXTENSION_MISSING'> {}
/** A filename contains a space. */
export class FilenameHasSpaceError extends GatewayError<'FILENAME_HAS_SPACE'> {}
/** A filename is in use already, and its content cannot change. Each issuer can use a name once. */
export class FilenameTakenError extends GatewayError<'FILENAME_TAKEN'> {}
/** The issuance service does not have a file, because it was never uploaded. */
export class FileNotFoundError extends GatewayError<'FILE_NOT_FOUND'> {}
/** The metadata names a file of a private category. */
export class FileNotPublicError extends GatewayError<'FILE_NOT_PUBLIC'> {}
/** A file has no hash or CID: they are still being calculated, or could not be. */
export class FileNotReadyError extends GatewayError<'FILE_NOT_READY'> {}
/** A file is too large. Files must be smaller than 2^31 bytes. */
export class FileTooLargeError extends GatewayError<'FILE_TOO_LARGE'> {}
/** A file address is neither a finalUrl of the issuance service nor an ipfs:// address. */
export class FileUrlNotAllowedError extends GatewayError<'FILE_URL_NOT_ALLOWED'> {}
/** The credentials are valid, but their scopes do not cover this, or the issuance service or its storage refuses access. */
export class ForbiddenError extends GatewayError<'FORBIDDEN'> {}
/** The requestId was used before with other content. Nothing was done. */
export class IdempotencyConflictError extends GatewayError<'IDEMPOTENCY_CONFLICT'> {}
/** A chip UID is malformed or not accepted. */
export class InvalidChipError extends GatewayError<'INVALID_CHIP'> {}
/** A value of the input is not valid. The path says where. */
export class InvalidInputError extends GatewayError<'INVALID_INPUT'> {}
/** The issuance service could not upgrade the metadata to the current schema. */
export class MetadataConversionFailedError extends GatewayError<'METADATA_CONVERSION_FAILED'> {}
/** The metadata does not fit its schema version. */
export class MetadataInvalidError extends GatewayError<'METADATA_INVALID'> {}
/** An entry has no metadata. */
export class MetadataMissingError extends GatewayError<'METADATA_MISSING'> {}
/** The record or collection was accepted, but its transaction could not be mined. */
export class MiningFailedError extends GatewayError<'MINING_FAILED'> {}
/** The chip UIDs of the request exceed the issuer’s NFC-tag allowance. */
export class NfcAllowanceExceededError extends GatewayError<'NFC_ALLOWANCE_EXCEEDED'> {}
/** The object does not exist, or it belongs to another issuer. */
export class NotFoundError extends GatewayError<'NOT_FOUND'> {}
/** The issuer’s issuance quota is used up. */
export class QuotaExceededError extends GatewayError<'QUOTA_EXCEEDED'> {}
/** There are too many requests, or too many records under way. Try again later. */
export class RateLimitedError extends GatewayError<'RATE_LIMITED'> {}
/** The issuance service reports that one of its own steps failed. upstreamMessage has its text. */
export class ServiceError extends GatewayError<'SERVICE_ERROR'> {}
/** The record was not created, usually because another entry of the same atomic request failed. */
export class SrrNotCreatedError extends GatewayError<'SRR_NOT_CREATED'> {}
/** A subscription was too slow and was ended. Subscribe again with the cursor in the error’s extensions as after. */
export class SubscriberLaggedError extends GatewayError<'SUBSCRIBER_LAGGED'> {}
/** The request has no credentials, or its credentials are not valid. */
export class UnauthenticatedError extends GatewayError<'UNAUTHENTICATED'> {}
/** The artistAddress is not the wallet address of a licensed user. */
export class UnknownArtistError extends GatewayError<'UNKNOWN_ARTIST'> {}
/** The failure is not classified. If it is the issuance service’s, upstreamMessage has its text; if it is the gateway’s own, the gateway’s log has its errorId. */
export class UnknownError extends GatewayError<'UNKNOWN_ERROR'> {}
/** A system behind the gateway gave an answer that cannot be used. */
export class UpstreamBadResponseError extends GatewayError<'UPSTREAM_BAD_RESPONSE'> {}
/** A system behind the gateway did not answer in time. Try again. */
export class UpstreamTimeoutError extends GatewayError<'UPSTREAM_TIMEOUT'> {}
/** A system behind the gateway cannot be reached. Try again. */
export class UpstreamUnavailableError extends GatewayError<'UPSTREAM_UNAVAILABLE'> {}

export const errorClasses = {
  ADDRESS_INVALID: AddressInvalidError,
  ADDRESS_NOT_FOUND: AddressNotFoundError,
  ATTACHMENT_NOT_FOUND: AttachmentNotFoundError,
  ATTACHMENT_NOT_READY: AttachmentNotReadyError,
  CATEGORY_INVALID: CategoryInvalidError,
  CONTENT_MISMATCH: ContentMismatchError,
  CURSOR_EXPIRED: CursorExpiredError,
  DUPLICATE_CHIP: DuplicateChipError,
  DUPLICATE_EXTERNAL_ID: DuplicateExternalIdError,
  DUPLICATE_METADATA: DuplicateMetadataError,
  DUPLICATE_REQUEST_CONTENT: DuplicateRequestContentError,
  DUPLICATE_REQUEST_ID: DuplicateRequestIdError,
  EXTERNAL_ID_INVALID: ExternalIdInvalidError,
  FILENAME_EXTENSION_MISSING: FilenameExtensionMissingError,
  FILENAME_HAS_SPACE: FilenameHasSpaceError,
  FILENAME_TAKEN: FilenameTakenError,
  FILE_NOT_FOUND: FileNotFoundError,
  FILE_NOT_PUBLIC: FileNotPublicError,
  FILE_NOT_READY: FileNotReadyError,
  FILE_TOO_LARGE: FileTooLargeError,
  FILE_URL_NOT_ALLOWED: FileUrlNotAllowedError,
  FORBIDDEN: ForbiddenError,
  IDEMPOTENCY_CONFLICT: IdempotencyConflictError,
  INVALID_CHIP: InvalidChipError,
  INVALID_INPUT: InvalidInputError,
  METADATA_CONVERSION_FAILED: MetadataConversionFailedError,
  METADATA_INVALID: MetadataInvalidError,
  METADATA_MISSING: MetadataMissingError,
  MINING_FAILED: MiningFailedError,
  NFC_ALLOWANCE_EXCEEDED: NfcAllowanceExceededError,
  NOT_FOUND: NotFoundError,
  QUOTA_EXCEEDED: QuotaExceededError,
  RATE_LIMITED: RateLimitedError,
  SERVICE_ERROR: ServiceError,
  SRR_NOT_CREATED: SrrNotCreatedError,
  SUBSCRIBER_LAGGED: SubscriberLaggedError,
  UNAUTHENTICATED: UnauthenticatedError,
  UNKNOWN_ARTIST: UnknownArtistError,
  UNKNOWN_ERROR: UnknownError,
  UPSTREAM_BAD_RESPONSE: UpstreamBadResponseError,
  UPSTREAM_TIMEOUT: UpstreamTimeoutError,
  UPSTREAM_UNAVAILABLE: UpstreamUnavailableError,
};
