import type { Db } from '../store/store.ts';
import type { IssuanceRow } from './flow.ts';
import { note } from './transition.ts';

/** A service that words each refusal anew must not fill the history. */
const maxNotes = 20;

/**
 * Adds to the history of an issuance what was not said there before in its present status: the step that
 * says it runs many times. `about` may differ from time to time.
 */
export async function noteOnce(
  trx: Db,
  row: IssuanceRow,
  notes: { said: string; about: string }[],
): Promise<void> {
  if (notes.length === 0) return;
  const steps = await trx
    .selectFrom('issuance_history')
    .select('reason')
    .where('issuance_id', '=', row.id)
    .where('status', '=', row.status)
    .execute();
  const fresh = notes.filter(({ said }) => !steps.some(({ reason }) => reason.startsWith(said)));
  for (const { said, about } of fresh.slice(0, Math.max(0, maxNotes - steps.length)))
    await note(trx, row, `${said}${about}`);
}
