import type { GatewayError } from '../model/errors.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceRow, StepContext } from './flow.ts';
import { redactedMessage } from './redacted-message.ts';
import { addToHistory, changeOwned } from './transition.ts';

/** Limit for one status: a service that words each refusal differently must not fill the history. */
const maxLines = 20;

/**
 * Adds lines to the history of an issuance, except those that it has in its present status already: the step
 * that makes them runs many times. Lines with the same `key` are the same line; `detail` may differ.
 * @returns Whether any was added.
 */
export async function addToHistoryOnce(
  trx: Db,
  row: IssuanceRow,
  lines: { key: string; detail: string }[],
  limit = maxLines,
): Promise<boolean> {
  if (lines.length === 0) return false;
  const steps = await trx
    .selectFrom('issuance_history')
    .select('reason')
    .where('issuance_id', '=', row.id)
    .where('status', '=', row.status)
    .execute();
  const missing = lines.filter(({ key }) => !steps.some(({ reason }) => reason.startsWith(key)));
  const added = missing.slice(0, Math.max(0, limit - steps.length));
  for (const { key, detail } of added) await addToHistory(trx, row, `${key}${detail}`);
  return added.length > 0;
}

/** Says once in the history what follows from an error, and why: in the service's words if it has any. */
export const addRefusalToHistory = (
  context: StepContext,
  what: string,
  error: GatewayError,
): Promise<boolean> => {
  const key = `${what}: ${reasonText(error)}`;
  return changeOwned(context, (trx, row) => addToHistoryOnce(trx, row, [{ key, detail: '' }]));
};

/** Why, in the service's words if it has any: a line of the history has no other place for them. */
export const reasonText = ({ faults: [fault] }: GatewayError): string =>
  redactedMessage(fault.upstreamMessage) ?? fault.message;
