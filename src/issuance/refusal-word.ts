import { type CommerceRefusal, requestContentState } from '../clients/commerce/commerce.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Word } from './belief.ts';

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

/** Causes of a 500 that the service knows before it creates anything. */
const allowances: ReadonlySet<ErrorCode> = new Set(['QUOTA_EXCEEDED', 'NFC_ALLOWANCE_EXCEEDED']);

/**
 * What the refusal of a batch's first request says. The service checks the whole batch before it answers 400, so
 * that nothing of it is issued. A 500 comes from a failure on the way, which may have come after the issuing.
 */
export function wordOfFirstRefusal(refusal: CommerceRefusal): Word {
  // Somebody sent this key before: a proxy on the way, for one.
  if (refusal.code === 'DUPLICATE_REQUEST_ID') return 'ANSWER_DOUBTFUL';
  if (refusal.status < 500) return 'ANSWER_REFUSED';
  return refusal.guilty.every(({ code }) => allowances.has(code)) ? 'ANSWER_REFUSED' : 'ANSWER_DOUBTFUL';
}

/**
 * What the refusal of a repeated request says of the lost one before it. Most may be what its very success has
 * caused: a used externalId, a quota that is spent, an error that the document does not know.
 */
export function wordOfRepeatedRefusal(refusal: CommerceRefusal): Word {
  if (requestContentState(refusal) === 'successful') return 'ANSWER_PROCESSED';
  if (isBeforeProcessing(refusal)) return 'ANSWER_DOUBTFUL';
  return refusal.guilty.some(({ code }) => faultsOfInput.has(code)) ? 'ANSWER_REFUSED' : 'ANSWER_DOUBTFUL';
}

/**
 * The service refuses a request that it looked into with 400 or 500. Any other 4xx (a key that was withdrawn,
 * a path that is not served for a moment) was said before that, so it proves nothing of the earlier one.
 */
export const isBeforeProcessing = ({ status }: CommerceRefusal): boolean => status < 500 && status !== 400;
