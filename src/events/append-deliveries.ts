import type { Address } from '@srr-gateway/common/address';
import { appendEvents, insertEvents, type NewEvent, splitStored } from '../store/append-events.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';

/**
 * Applies an issuer's deliveries to its entries, in the transaction that stores them. Returns the same events,
 * each with its entry and its visibility to subscribers. Removes `firstReceivedAt` from a repeated failure that
 * counts for a later request.
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
 * @returns The counts of each delivery, in the order of `deliveries`.
 */
export async function appendDeliveries(
  db: Db,
  issuer: Address,
  deliveries: NewEvent[][],
  apply: ApplyDeliveries,
): Promise<Stored[]> {
  const fresh = await db
    .transaction()
    .execute((trx) => appendAndApply(trx, issuer, deliveries.flat(), apply));
  const added = new Set(fresh.map(({ dedupe }) => dedupe));
  return deliveries.map((delivery) => {
    // If deliveries have an event in common, only the first of them stored it.
    const stored = delivery.filter(({ dedupe }) => added.delete(dedupe)).length;
    return { stored, repeated: delivery.length - stored };
  });
}

/** Returns the events that the log did not have. */
async function appendAndApply(
  trx: Db,
  issuer: Address,
  events: NewEvent[],
  apply: ApplyDeliveries,
): Promise<NewEvent[]> {
  await lockLog(trx, issuer);
  const { fresh, repeated } = await splitStored(trx, issuer, events);
  // A record that is issued again may fail again with the same bytes, so a repeated failure may be a new one.
  const failures = repeated.filter(({ type }) => type === 'SRR_FAILED' || type === 'COLLECTION_FAILED');
  if (fresh.length + failures.length === 0) return [];
  const applied = await apply(trx, issuer, [...fresh, ...failures]);
  await insertEvents(trx, issuer, applied.slice(0, fresh.length));
  const newFailures = applied.slice(fresh.length).filter(({ firstReceivedAt }) => !firstReceivedAt);
  await appendEvents(trx, issuer, newFailures);
  return fresh;
}
