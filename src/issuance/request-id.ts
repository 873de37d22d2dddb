import { jsonbFault } from '../lib/jsonb-safe.ts';
import type { Fault } from '../model/errors.ts';

/** Any generated key fits. There must be a limit: a unique index cannot hold text of any length. */
const maxLength = 255;

/** The fault of a requestId of a mutation, if it has one. */
export function requestIdFault(requestId: string | undefined): Fault | undefined {
  if (requestId === undefined) return undefined;
  if (requestId.trim() !== '' && requestId.length <= maxLength && !jsonbFault(requestId)) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `requestId is a text of 1 to ${maxLength} characters.`,
    path: ['input', 'requestId'],
  };
}
