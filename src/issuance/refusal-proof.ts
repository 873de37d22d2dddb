import type { CommerceRefusal } from '../commerce/commerce.ts';
import type { ErrorCode } from '../lib/errors.ts';

/**
 * Faults of the input alone: the same request had them when it was lost, so it cannot have been accepted. An
 * artist or a buyer that is not known is none of them: a licence may have been withdrawn since.
 */
const faultsOfInput: ReadonlySet<ErrorCode> = new Set([
  'ADDRESS_INVALID',
  'EXTERNAL_ID_INVALID',
  'FILE_URL_NOT_ALLOWED',
  'FILE_NOT_PUBLIC',
  'INVALID_CHIP',
  'METADATA_CONVERSION_FAILED',
  'METADATA_INVALID',
  'METADATA_MISSING',
]);

/**
 * Whether a refusal shows that the lost request before it was refused too. Others (a used externalId, a quota
 * that is spent, an error that the document does not know) may be what its very success has caused.
 */
export const provesRefusal = (refusal: CommerceRefusal): boolean =>
  !isAtTheDoor(refusal) && refusal.guilty.some(({ code }) => faultsOfInput.has(code));

/**
 * The service refuses a request that it looked into with 400 or 500. Any other 4xx (a key that was withdrawn,
 * a path that is not served for a moment) was said before that, so it proves nothing of the earlier one.
 */
export const isAtTheDoor = ({ status }: CommerceRefusal): boolean => status < 500 && status !== 400;
