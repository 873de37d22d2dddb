import { jsonbFault } from '../lib/jsonb-safe.ts';
import type { Fault } from '../model/errors.ts';

/** Enough for any generated id. A unique index cannot hold text of unlimited length. */
const maxLength = 255;

/** The fault of a requestId of a mutation, if it has one. */
export function requestIdFault(requestId: string | undefined): Fault | undefined {
  if (requestId === undefined) return undefined;
  if (requestId.trim() !== '' && requestId.length <= maxLength && !jsonbFault(requestId)) return undefined;
  return {
    code: 'INVALID_INPUT',
    message: `requestId must be well-formed text of 1 to ${maxLength} characters, not blank and without NUL.`,
    path: ['input', 'requestId'],
  };
}
