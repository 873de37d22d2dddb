import type { Address } from '@srr-gateway/common/address';
import { insertEvents, type NewEvent, withoutStored } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';

/**
 * Applies an issuer's deliveries to its entries, in the transaction that stores them. Returns the same
 * events, each with its entry and whether subscribers see it.
 */
export type Judge = (trx: Db, issuer: Address, events: NewEvent[]) => Promise<NewEvent[]>;

/**
 * Stores the events of a delivery with their effects, and returns after the commit. Locks the issuer's log
 * first, so that the second of two equal deliveries finds the first.
 * @returns How many events were new, and how many were stored before.
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
    const added = await withoutStored(trx, issuer, events);
    const stored = added.length > 0 ? await insertEvents(trx, issuer, await judge(trx, issuer, added)) : [];
    return { stored: stored.length, repeated: events.length - stored.length };
  });
}
