import type { GatewayError } from '../model/errors.ts';
import { shownMessage } from './files/record-file-states.ts';
import type { StepContext } from './flow.ts';
import { noteOnce } from './note-once.ts';
import { changeOwned } from './transition.ts';

/** Says once in the history what follows from an error, and why: in the service's words if it has any. */
export const noteRefusal = (
  context: StepContext,
  what: string,
  { faults: [fault] }: GatewayError,
): Promise<boolean> => {
  const key = `${what}: ${shownMessage(fault.upstreamMessage) ?? fault.message}`;
  return changeOwned(context, (trx, row) => noteOnce(trx, row, [{ key, detail: '' }]));
};
