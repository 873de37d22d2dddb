import type { Fault } from '../model/errors.ts';
import { now } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceRow } from './flow.ts';
import { transition } from './transition.ts';

/** Ends a locked, unsent issuance with its entries. */
export async function endUnsent(
  trx: Db,
  row: IssuanceRow,
  status: 'REJECTED' | 'CANCELLED',
  reason: string,
  fault?: Fault,
): Promise<void> {
  await trx
    .updateTable('issuance_entry')
    .set({ status: 'CANCELLED', updated_at: now })
    .where('issuance_id', '=', row.id)
    .where('status', '=', 'PENDING')
    .execute();
  await transition(trx, row, status, reason, fault);
}
