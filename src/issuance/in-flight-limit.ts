import type { Address } from '@srr-gateway/common/address';
import { GatewayError } from '../model/errors.ts';
import type { Db } from '../store/store.ts';

/**
 * Most collections of one issuer under way. The service deploys them one by one, so more would take hours.
 */
const maxCollections = 100;

/**
 * Refuses an issuance that would bring the issuer's records under way above the limit. The service mints
 * hundreds of records a minute, so a longer queue only waits longer. An issuance larger than the limit may
 * run alone. They are counted without a lock: simultaneous calls may pass the limit together.
 * @throws GatewayError RATE_LIMITED; nothing was stored, and the same call may be repeated.
 */
export function assertRecordLimit(limit: number, underWay: number, adding: number): void {
  if (underWay === 0 || underWay + adding <= limit) return;
  throw tooMany(
    `${underWay} records of this issuer are still under way, and ${adding} more would pass the limit of ${limit}.`,
    ['input', 'entries'],
  );
}

/**
 * Refuses another collection while many of the issuer's are under way.
 * @throws GatewayError RATE_LIMITED; nothing was stored, and the same call may be repeated.
 */
export async function assertCollectionLimit(db: Db, issuer: Address): Promise<void> {
  const { under_way } = await db
    .selectFrom('collection_creation')
    .select((select) => select.fn.countAll<string>().as('under_way'))
    .where('issuer', '=', issuer)
    .where('status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
    .executeTakeFirstOrThrow();
  if (Number(under_way) < maxCollections) return;
  throw tooMany(`${under_way} collections of this issuer are still under way.`, ['input']);
}

const tooMany = (why: string, path: string[]) =>
  new GatewayError({
    code: 'RATE_LIMITED',
    message: `${why} Send this again, with the same requestId, when some of them are done.`,
    path,
  });
