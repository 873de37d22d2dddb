import type { Address } from '@srr-gateway/common/address';
import type { Db } from './tables.ts';

/**
 * Locks an issuer's event log for the open transaction and returns its last cursor. A transaction that appends to
 * the log, or writes depending on what it reads there, needs this lock: otherwise it could miss an event that is
 * being stored. Take it before the lock of any issuance's row.
 */
export async function lockLog(trx: Db, issuer: Address): Promise<string> {
  const known = await lockHead(trx, issuer);
  if (known) return known.cursor;
  await trx
    .insertInto('event_head')
    .values({ issuer, cursor: '0' })
    .onConflict((conflict) => conflict.column('issuer').doNothing())
    .execute();
  // Another transaction may have inserted the row.
  const head = await lockHead(trx, issuer);
  if (!head) throw new Error(`the log of ${issuer} has no head`);
  return head.cursor;
}

const lockHead = (trx: Db, issuer: Address) =>
  trx.selectFrom('event_head').select('cursor').where('issuer', '=', issuer).forUpdate().executeTakeFirst();
