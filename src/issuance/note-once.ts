import type { Db } from '../store/store.ts';
import type { IssuanceRow } from './flow.ts';
import { note } from './transition.ts';

/** Limit for one status: a service that words each refusal differently must not fill the history. */
const maxNotes = 20;

/**
 * Adds notes to the history of an issuance, except those that it has in its present status already: the step
 * that makes them runs many times. Notes with the same `key` are the same note; `detail` may differ.
 * @returns Whether any was added.
 */
export async function noteOnce(
  trx: Db,
  row: IssuanceRow,
  notes: { key: string; detail: string }[],
  limit = maxNotes,
): Promise<boolean> {
  if (notes.length === 0) return false;
  const steps = await trx
    .selectFrom('issuance_history')
    .select('reason')
    .where('issuance_id', '=', row.id)
    .where('status', '=', row.status)
    .execute();
  const missing = notes.filter(({ key }) => !steps.some(({ reason }) => reason.startsWith(key)));
  const added = missing.slice(0, Math.max(0, limit - steps.length));
  for (const { key, detail } of added) await note(trx, row, `${key}${detail}`);
  return added.length > 0;
}
