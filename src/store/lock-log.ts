import type { Address } from '@srr-gateway/common/address';
import type { Db } from './tables.ts';

/**
 * Takes an issuer's event log for the open transaction and returns its last cursor. Whoever adds to the
 * log, or reads it and writes beside it, does this first (before any issuance's row): nothing can then pass
 * an event that is just being stored.
 */
export async function lockLog(trx: Db, issuer: Address): Promise<string> {
  await trx
    .insertInto('event_head')
    .values({ issuer, cursor: '0' })
    .onConflict((conflict) => conflict.column('issuer').doNothing())
    .execute();
  const head = await trx
    .selectFrom('event_head')
    .select('cursor')
    .where('issuer', '=', issuer)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return head.cursor;
}
