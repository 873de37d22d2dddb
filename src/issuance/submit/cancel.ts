import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import type { FlowDeps, IssuanceRow } from '../flow.ts';
import { lock, transition } from '../transition.ts';

/**
 * Cancels an issuance that was not sent yet. The row lock decides the race with the worker.
 * @throws GatewayError NOT_FOUND, or INVALID_INPUT when it does not wait for its files any more.
 */
export async function cancelIssuance(deps: FlowDeps, issuer: Address, id: string): Promise<IssuanceRow> {
  return deps.db.transaction().execute(async (trx) => {
    const row = isUuid(id) ? await lock(trx, { id, issuer }) : undefined;
    if (!row)
      throw new GatewayError({
        code: 'NOT_FOUND',
        message: 'There is no such issuance of this issuer.',
        path: ['input', 'id'],
      });
    if (row.status === 'CANCELLED') return row;
    if (row.status !== 'WAITING_FOR_FILES')
      throw new GatewayError({
        code: 'INVALID_INPUT',
        message: `It is ${row.status} and cannot be cancelled: only an issuance that still waits for its files can.`,
        path: ['input', 'id'],
      });
    await trx
      .updateTable('issuance_entry')
      .set({ status: 'CANCELLED' })
      .where('issuance_id', '=', id)
      .execute();
    await transition(trx, row, 'CANCELLED', 'cancelled by the issuer');
    return (await lock(trx, row)) as IssuanceRow;
  });
}
