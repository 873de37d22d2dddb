import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../../model/errors.ts';
import { isUuid } from '../../model/uuid.ts';
import { endUnsent } from '../end-unsent.ts';
import type { FlowDeps, IssuanceRow } from '../flow.ts';
import { lock } from '../transition.ts';

/**
 * Cancels an issuance of which nothing was sent yet. The row lock decides the race with the worker.
 * @throws GatewayError NOT_FOUND; INVALID_INPUT when it no longer waits for its files.
 */
export async function cancelIssuance(deps: FlowDeps, issuer: Address, id: string): Promise<IssuanceRow> {
  return deps.db.transaction().execute(async (trx) => {
    const row = isUuid(id) ? await lock(trx, { id, issuer }) : undefined;
    if (!row)
      throw new GatewayError({
        code: 'NOT_FOUND',
        message: 'This issuer has no issuance with this id. Give an id that issueSRRs or issuances returned.',
        path: ['input', 'id'],
      });
    if (row.status === 'CANCELLED') return row;
    if (row.status !== 'WAITING_FOR_FILES')
      throw new GatewayError({
        code: 'INVALID_INPUT',
        message: `The issuance is ${row.status}, and only one in WAITING_FOR_FILES can be cancelled.`,
        path: ['input', 'id'],
      });
    await endUnsent(trx, row, 'CANCELLED', 'cancelled by the issuer');
    return (await lock(trx, row)) as IssuanceRow;
  });
}
