import type { GatewayError } from '../model/errors.ts';
import { shownMessage } from './files/record-file-states.ts';
import type { StepContext } from './flow.ts';
import { noteOnce } from './note-once.ts';
import { changeOwned } from './transition.ts';

/** Says once in the history what follows from an error, and why: in the service's words if it has any. */
export const noteRefusal = (context: StepContext, what: string, error: GatewayError): Promise<boolean> => {
  const key = `${what}: ${wordsOf(error)}`;
  return changeOwned(context, (trx, row) => noteOnce(trx, row, [{ key, detail: '' }]));
};

/** Why, in the service's words if it has any: a line of the history has no other place for them. */
export const wordsOf = ({ faults: [fault] }: GatewayError): string =>
  shownMessage(fault.upstreamMessage) ?? fault.message;
