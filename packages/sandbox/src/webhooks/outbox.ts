import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { chunksOf } from '@srr-gateway/common/chunks';
import type { Db, DeliveryType } from '../store/tables.ts';

/** `version` of the bodies below; the live service's version numbers are not known. */
const formatVersion = 1;

/** One entry of a body, for one event; `groupId` is added to it. */
export type DeliveryEntry = Readonly<Record<string, unknown>>;

/** The number that is recommended for an issue request; it keeps a body below 150 KB. */
const entriesAtMost = 250;

/**
 * Queues a delivery for a group of entries, or several for a large group. Call it in the transaction that
 * stores what the entries report, so that neither is stored without the other.
 */
export async function queueDelivery(
  db: Db,
  issuer: Address,
  type: DeliveryType,
  entries: readonly DeliveryEntry[],
  /** The `type` that the receiver sees, when it differs. */
  calledAs: string = type,
): Promise<void> {
  for (const some of chunksOf(entries, entriesAtMost)) {
    const id = randomUUID();
    const data = some.map((entry) => ({ groupId: id, ...entry }));
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
