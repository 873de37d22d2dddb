import type { Address } from '@srr-gateway/common/address';
import { insertEvents, type NewEvent, withoutStored } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';

/**
 * Says what to make of an issuer's deliveries, and changes what they are about, within the transaction that stores
 * them. Returns the same events, each with its entry and whether subscribers are told.
 */
export type Judge = (trx: Db, issuer: Address, events: NewEvent[]) => Promise<NewEvent[]>;

/**
 * Stores a delivery's entries and returns when they are committed, with all that they changed. The issuer's log
 * is locked first: of two deliveries of the same, the second finds the first.
 */
export async function appendDelivery(
  db: Db,
  issuer: Address,
  events: NewEvent[],
  judge: Judge,
): Promise<{ stored: number; repeated: number }> {
  if (events.length === 0) return { stored: 0, repeated: 0 };
  return db.transaction().execute(async (trx) => {
    await lockLog(trx, issuer);
    const fresh = await withoutStored(trx, issuer, events);
    const stored = fresh.length > 0 ? await insertEvents(trx, issuer, await judge(trx, issuer, fresh)) : [];
    return { stored: stored.length, repeated: events.length - stored.length };
  });
}
