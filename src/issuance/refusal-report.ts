import { type CommerceRefusal, proofOf, requestContentState } from '../clients/commerce/commerce.ts';
import type { Report } from './decision-table.ts';

/**
 * What the refusal of a batch's first request proves. The service checks the whole batch before it answers
 * 4xx, so nothing was issued. A 500 may come after records were issued, unless its message rules that out.
 */
export function reportOfFirstRefusal(refusal: CommerceRefusal): Report {
  // The requestId was sent only once, so a proxy may have repeated the request.
  if (refusal.code === 'DUPLICATE_REQUEST_ID') return 'ANSWER_INCONCLUSIVE';
  return mayBeAfterCreation(refusal) ? 'ANSWER_INCONCLUSIVE' : 'ANSWER_REFUSED';
}

/**
 * Whether the refused request may have created records. A 500 that lists only cancelled entries has no cause, and so
 * no proof.
 */
export const mayBeAfterCreation = ({ status, proofs }: CommerceRefusal): boolean =>
  status >= 500 && !(proofs.length > 0 && proofs.every((proof) => proof === 'NOTHING_CREATED'));

/**
 * What the refusal of a repeated request proves about the lost one. Most refusals may be caused by the
 * success of the lost one: a used externalId, a spent quota, an error that the document does not know.
 */
export function reportOfRepeatedRefusal(refusal: CommerceRefusal): Report {
  if (requestContentState(refusal) === 'successful') return 'ANSWER_PROCESSED';
  return refusal.proofs.includes('INPUT_AT_FAULT') ? 'ANSWER_REFUSED' : 'ANSWER_INCONCLUSIVE';
}

/**
 * Whether a reported failure has the text of a refusal. The service may report refused requests too, and a repeated
 * request may be refused because the first one succeeded.
 */
export const isRefusalText = (message: string | null): boolean =>
  message !== null && proofOf(message) !== 'NOTHING';

/**
 * Whether the service seems to have refused before it read the request, which proves nothing about an earlier one. If
 * no message tells, the status is a guess: in the document a request that was read gets only 400 and 500, and other
 * 4xx mean a withdrawn key or a path that is not served.
 */
export function isProbablyUnread({ status, proofs }: CommerceRefusal): boolean {
  const telling = proofs.filter((proof) => proof !== 'NOTHING');
  if (telling.length > 0) return telling.every((proof) => proof === 'UNREAD');
  return status < 500 && status !== 400;
}
