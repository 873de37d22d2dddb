import { scrub } from '@srr-gateway/common/scrub';
import type { ErrorCode, Fault } from '../../model/errors.ts';
import { builder } from '../builder.ts';

const meanings: Record<ErrorCode, string> = {
  INVALID_INPUT: 'Something in the input is not as it must be; the path says where.',
  UNAUTHENTICATED: 'No credentials, or credentials that do not hold.',
  FORBIDDEN:
    'The credentials hold, but their scopes do not cover this, or the service or its storage refuses access.',
  NOT_FOUND: 'There is no such thing, or it is not the caller’s.',
  IDEMPOTENCY_CONFLICT: 'The requestId was used before with other content. Nothing was done.',
  DUPLICATE_METADATA: 'Identical metadata was already issued for this artist.',
  DUPLICATE_CHIP: 'A chip UID already belongs to another record.',
  INVALID_CHIP: 'A chip UID is malformed or not accepted.',
  DUPLICATE_EXTERNAL_ID: 'The externalId was used before.',
  UNKNOWN_ARTIST: 'artistAddress is not a licensed user.',
  SRR_NOT_CREATED: 'Not created, mostly because another entry of the same atomic request failed.',
  METADATA_INVALID: 'The metadata does not fit its schema version.',
  METADATA_MISSING: 'An entry has no metadata.',
  METADATA_CONVERSION_FAILED: 'The service could not upgrade the metadata to the current schema.',
  ADDRESS_INVALID: 'An address is malformed.',
  ADDRESS_NOT_FOUND: 'The issuer or artist is not a licensed user.',
  EXTERNAL_ID_INVALID: 'An externalId is empty or no text.',
  FILE_URL_NOT_ALLOWED: 'A file address is neither a finalUrl of the service nor an ipfs:// address.',
  FILE_NOT_PUBLIC: 'The metadata names a file of a private category.',
  FILE_NOT_FOUND: 'The service does not find a file: it was never uploaded.',
  FILE_NOT_READY: 'A file has no hash or cid: they are still being calculated, or could not be.',
  ATTACHMENT_NOT_FOUND: 'An attachment was never uploaded.',
  ATTACHMENT_NOT_READY: 'The hash of an attachment is still being calculated.',
  DUPLICATE_REQUEST_ID: 'The service has this requestId on record already.',
  DUPLICATE_REQUEST_CONTENT: 'The service has an identical request in flight or done.',
  FILENAME_EXTENSION_MISSING: 'A file name needs an extension.',
  FILENAME_HAS_SPACE: 'A file name must not contain a space.',
  FILENAME_TAKEN: 'A file name is in use already, and keeps its content; names are used once per issuer.',
  CATEGORY_INVALID: 'The category does not exist or does not fit its place.',
  FILE_TOO_LARGE: 'Files must be smaller than 2^31 bytes.',
  CONTENT_MISMATCH: 'The bytes are not the ones that were announced.',
  QUOTA_EXCEEDED: 'The issuer’s issuance quota is exhausted.',
  NFC_ALLOWANCE_EXCEEDED: 'The chips of the request exceed the issuer’s NFC-tag allowance.',
  SERVICE_ERROR: 'The service reports a failure behind it; upstreamMessage has its words.',
  UNKNOWN_ERROR:
    'A failure that nobody classified: the service’s, whose words are in upstreamMessage, or the gateway’s own, whose errorId is in its log.',
  MINING_FAILED: 'The record was accepted, but its transaction could not be mined.',
  UPSTREAM_UNAVAILABLE: 'A system behind the gateway cannot be reached. Try again.',
  UPSTREAM_TIMEOUT: 'A system behind the gateway did not answer in time. Try again.',
  UPSTREAM_BAD_RESPONSE: 'A system behind the gateway answered something that makes no sense.',
  RATE_LIMITED: 'Too much at once. Try again later.',
  SUBSCRIBER_LAGGED:
    'A subscriber took events too slowly and was ended. Subscribe again after the cursor in its extensions.',
};

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description:
    'Why something was not done. One for each row of the service’s error tables, and the gateway’s own.',
  values: Object.fromEntries(
    Object.entries(meanings).map(([code, description]) => [code, { description }]),
  ) as Record<ErrorCode, { description: string }>,
});

export const UserError = builder.objectRef<Fault>('UserError').implement({
  description: 'A fault as data: what is wrong, where in the input, and what to do.',
  fields: (t) => ({
    code: t.field({
      type: ErrorCodeEnum,
      nullable: false,
      description: 'For programs.',
      resolve: (fault) => fault.code,
    }),
    message: t.exposeString('message', { nullable: false, description: 'For people: says what to do.' }),
    path: t.stringList({
      description: 'Into the mutation’s arguments, e.g. ["input", "entries", "3", "metadata", "title"].',
      nullable: { list: true, items: false },
      resolve: (fault) => fault.path,
    }),
    externalId: t.exposeString('externalId', { description: 'The entry that it belongs to.' }),
    upstreamMessage: t.string({
      description: 'Verbatim, when a system behind the gateway said it.',
      resolve: ({ upstreamMessage }) => upstreamMessage && scrub(upstreamMessage),
    }),
  }),
});
