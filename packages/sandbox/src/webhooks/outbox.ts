import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import type { Db, DeliveryType } from '../store/tables.ts';

/** The form of the bodies below; the live service's own numbers are not known. */
const formatVersion = 1;

/** What a body holds for each thing that happened; the `groupId` is added to it. */
export type DeliveryEntry = Readonly<Record<string, unknown>>;

/** As many as an issue request is recommended to have: a body stays below 150 KB. */
const entriesAtMost = 250;

/**
 * Queues one POST for a group of entries, or several when it is large. Call it in the transaction that
 * stores what the entries tell of: then neither can exist without the other.
 */
export async function queueDelivery(
  db: Db,
  issuer: Address,
  type: DeliveryType,
  entries: readonly DeliveryEntry[],
  /** Another name for the type, as the receiver sees it. */
  calledAs: string = type,
): Promise<void> {
  for (let from = 0; from < entries.length; from += entriesAtMost) {
    const id = randomUUID();
    const data = entries.slice(from, from + entriesAtMost).map((entry) => ({ groupId: id, ...entry }));
    await db
      .insertInto('delivery')
      .values({
        id,
        issuer,
        type,
        body: JSON.stringify({ type: calledAs, version: formatVersion, data }),
        last_status: null,
        last_error: null,
        settled_at: null,
      })
      .execute();
  }
}
