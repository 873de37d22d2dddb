import { type CommerceRefusal, requestContentState } from '../clients/commerce/commerce.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Report } from './decision-table.ts';

/**
 * Faults that the input alone causes. The lost request had the same input, so it cannot have been accepted.
 * An unknown artist or buyer is not among them: a licence may have been withdrawn since.
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

/** Causes of a 500 that the service finds before it creates any record. */
const allowances: ReadonlySet<ErrorCode> = new Set(['QUOTA_EXCEEDED', 'NFC_ALLOWANCE_EXCEEDED']);

/**
 * What the refusal of a batch's first request proves. The service checks the whole batch before it answers
 * 400, so nothing was issued. A 500 may come after records were issued.
 */
export function reportOfFirstRefusal(refusal: CommerceRefusal): Report {
  // The service knows the requestId although it was sent once: a proxy may have repeated the request.
  if (refusal.code === 'DUPLICATE_REQUEST_ID') return 'ANSWER_DOUBTFUL';
  if (refusal.status < 500) return 'ANSWER_REFUSED';
  return refusal.causes.every(({ code }) => allowances.has(code)) ? 'ANSWER_REFUSED' : 'ANSWER_DOUBTFUL';
}

/**
 * What the refusal of a repeated request proves about the lost one. Most refusals may be caused by the
 * success of the lost one: a used externalId, a spent quota, an error that the document does not know.
 */
export function reportOfRepeatedRefusal(refusal: CommerceRefusal): Report {
  if (requestContentState(refusal) === 'successful') return 'ANSWER_PROCESSED';
  if (isBeforeProcessing(refusal)) return 'ANSWER_DOUBTFUL';
  return refusal.causes.some(({ code }) => faultsOfInput.has(code)) ? 'ANSWER_REFUSED' : 'ANSWER_DOUBTFUL';
}

/**
 * Whether the service refused before it read the request, which proves nothing about an earlier one. Once it
 * reads a request it answers 400 or 500. Other 4xx come before, for example for a withdrawn key, or while a
 * path is not served.
 */
export const isBeforeProcessing = ({ status }: CommerceRefusal): boolean => status < 500 && status !== 400;
