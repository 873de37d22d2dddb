import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';
import type { Db } from '../store/store.ts';

/**
 * Refuses an issuance that would put more of the issuer's records under way than the limit. The service works
 * off hundreds of records a minute, so a longer queue would only grow older. An issuance larger than the
 * limit may run alone. Counts without a lock: calls at the same moment may pass the limit together.
 * @throws GatewayError RATE_LIMITED; nothing was stored, and the same call may be repeated.
 */
export async function refuseBeyond(limit: number, db: Db, issuer: Address, adding: number): Promise<void> {
  const { under_way } = await db
    .selectFrom('issuance')
    .select((select) => select.fn.sum<string | null>('entry_count').as('under_way'))
    .where('issuer', '=', issuer)
    .where('completed_at', 'is', null)
    .executeTakeFirstOrThrow();
  const underWay = Number(under_way);
  if (underWay === 0 || underWay + adding <= limit) return;
  throw new GatewayError({
    code: 'RATE_LIMITED',
    message: `${underWay} records of this issuer are still under way, and ${adding} more would pass the limit of ${limit}. Send this again, with the same requestId, when some of them are done.`,
    path: ['input', 'entries'],
  });
}
