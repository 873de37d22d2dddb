import type { Fault } from '../model/errors.ts';
import { appendEvents, type NewEvent } from '../store/append-events.ts';
import { now } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';
import type { IssuanceRow, StepContext } from './flow.ts';
import { changeWithLog, transition } from './transition.ts';

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

/** Rejects an unsent issuance, and tells the issuer's subscribers, who get no outcome of its records. */
export const rejectUnsent = (context: StepContext, fault: Fault, reason = fault.message): Promise<void> =>
  changeWithLog(context, async (trx, row) => {
    await endUnsent(trx, row, 'REJECTED', reason, fault);
    await appendEvents(trx, row.issuer, [rejectedEvent(row, fault)]);
  });

const rejectedEvent = ({ id, request_id }: IssuanceRow, error: Fault): NewEvent => ({
  type: 'ISSUANCE_REJECTED',
  kind: 'gateway',
  source: 'GATEWAY',
  dedupe: `issuance ${id} rejected`,
  externalId: null,
  tokenId: null,
  collection: null,
  message: null,
  raw: { requestId: request_id, error },
  issuance: id,
});
