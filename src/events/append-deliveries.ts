import type { Address } from '@srr-gateway/common/address';
import { insertEvents, type NewEvent, withoutStored } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';

/**
 * Applies an issuer's deliveries to its entries, in the transaction that stores them. Returns the same
 * events, each with its entry and whether subscribers see it.
 */
export type ApplyDeliveries = (trx: Db, issuer: Address, events: NewEvent[]) => Promise<NewEvent[]>;

/** How many events of a delivery were new, and how many were stored before. */
export interface Stored {
  stored: number;
  repeated: number;
}

/**
 * Stores the events of deliveries with their effects in one transaction, and returns after the commit. Locks
 * the issuer's log first, so that the second of two equal deliveries finds the first.
 * @returns For each delivery what became of its events.
 */
export async function appendDeliveries(
  db: Db,
  issuer: Address,
  deliveries: NewEvent[][],
  apply: ApplyDeliveries,
): Promise<Stored[]> {
  const events = deliveries.flat();
  const added = new Set<string>();
  if (events.length > 0)
    await db.transaction().execute(async (trx) => {
      await lockLog(trx, issuer);
      const fresh = await withoutStored(trx, issuer, events);
      if (fresh.length > 0) await insertEvents(trx, issuer, await apply(trx, issuer, fresh));
      for (const { dedupe } of fresh) added.add(dedupe);
    });
  return deliveries.map((delivery) => {
    // Of two equal events the first one is new.
    const stored = delivery.filter(({ dedupe }) => added.delete(dedupe)).length;
    return { stored, repeated: delivery.length - stored };
  });
}
