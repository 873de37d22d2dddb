import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { GatewayError } from '../model/errors.ts';
import { ago } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';

/** Maximum of one issuer's collections under way. The service deploys them one by one, so more would take hours. */
const maxCollections = 100;

/**
 * SQL: accepted work without news for a day, though mining takes minutes. A failure may never be reported, and must
 * not lock its issuer out.
 */
const isSilent = sql<boolean>`(status = 'WAITING_FOR_MINING' and updated_at < ${ago(86_400_000)})`;

/**
 * Refuses an issuance that would bring the issuer's records under way above the limit. The service mints hundreds of
 * records a minute, so a longer queue would only wait longer. An issuance larger than the limit may run alone. Counts
 * without a lock, so simultaneous calls may together exceed the limit.
 * @param open an upper bound of the issuer's records without an outcome, known without a query
 * @throws GatewayError RATE_LIMITED: nothing was stored, and the same call may be repeated.
 */
export async function assertRecordLimit(
  db: Db,
  issuer: Address,
  { limit, open, adding }: { limit: number; open: number; adding: number },
): Promise<void> {
  const fits = (count: number) => count === 0 || count + adding <= limit;
  if (fits(open)) return;
  const { under_way } = await db
    .selectFrom('issuance')
    .select((select) => select.fn.sum<string | null>('entry_count').as('under_way'))
    .where('issuer', '=', issuer)
    .where('completed_at', 'is', null)
    .where((where) => where.not(isSilent))
    .executeTakeFirstOrThrow();
  const underWay = Number(under_way);
  if (fits(underWay)) return;
  throw tooMany(
    `${underWay} records of this issuer are still under way, and ${adding} more would pass the limit of ${limit}.`,
    ['input', 'entries'],
  );
}

/**
 * Refuses another collection while many of the issuer's are under way.
 * @throws GatewayError RATE_LIMITED: nothing was stored, and the same call may be repeated.
 */
export async function assertCollectionLimit(db: Db, issuer: Address): Promise<void> {
  const { under_way } = await db
    .selectFrom('collection_creation')
    .select((select) => select.fn.countAll<string>().as('under_way'))
    .where('issuer', '=', issuer)
    .where('status', 'in', ['PENDING', 'WAITING_FOR_MINING'])
    .where((where) => where.not(isSilent))
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
