import { type Address, parseAddress } from '@srr-gateway/common/address';
import { sql, type UpdateObject } from 'kysely';
import { type Fault, UpstreamError } from '../../model/errors.ts';
import { now } from '../../store/database-time.ts';
import { Signals } from '../../store/signals.ts';
import type { Tables } from '../../store/tables.ts';
import { checkpoint } from '../checkpoint.ts';
import { type CollectionContext, changeOwned, type IssuerCollectionContext } from './creation.ts';
import { miningFault } from './settle.ts';

/** The service's answer to the request. */
export interface PostResult {
  address: Address;
  /** Set when the transaction that creates it failed before the service answered. */
  failure: Fault | undefined;
}

/**
 * Sends the request, after marking it as sent, so that it is still marked after a crash.
 * @throws CommerceRefusal or UpstreamError when the service refuses or does not answer.
 */
export async function post(context: IssuerCollectionContext): Promise<PostResult> {
  const { deps, row, credentials, signal } = context;
  await change(context, {
    sent: row.sent + 1,
    first_sent_at: sql<Date>`coalesce(first_sent_at, ${now})`,
    last_sent_at: now,
    unanswered_at: now,
  });
  checkpoint('marked-as-sending', row.id);
  const { name, symbol, salt } = row;
  const result = await deps.commerce.createCollection(
    credentials,
    { name, symbol, salt: salt as string },
    signal,
  );
  checkpoint('answered', row.id);
  const address = parseAddress(result.collectionAddress);
  // The request was processed, but a collection without an address can be neither shown nor looked up.
  if (!address) throw invalidAddress();
  const text = `status "failed" for ${result.collectionAddress}`;
  return { address, failure: result.status === 'failed' ? miningFault(text) : undefined };
}

/**
 * Changes the creation.
 * @throws LeaseLost when this step no longer holds its lease.
 */
async function change(
  context: CollectionContext,
  values: UpdateObject<Tables, 'collection_creation'>,
): Promise<void> {
  await changeOwned(context, async (trx) => {
    await trx.updateTable('collection_creation').set(values).where('id', '=', context.row.id).execute();
    await Signals.send(trx, 'collection', context.row.id);
  });
}

/** Removes the mark of `post` from a request that certainly was not processed. */
export async function markAsNotSent(context: CollectionContext, fault: Fault): Promise<void> {
  const { sent, unanswered_at, first_sent_at } = context.row;
  await change(context, { sent, unanswered_at, first_sent_at, last_fault: JSON.stringify(fault) });
}

/**
 * Records that the response was lost or proves nothing.
 * @param since The time of an earlier lost response, which is kept. Absent: the response was lost just now.
 */
export async function markAsUnknown(
  context: CollectionContext,
  fault: Fault,
  since?: Date | null,
): Promise<void> {
  await change(context, {
    last_fault: JSON.stringify(fault),
    ...(since !== undefined && { unanswered_at: since }),
  });
  checkpoint('marked-as-unknown', context.row.id);
}

const invalidAddress = () =>
  new UpstreamError(
    {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: 'The service answered 2xx, but collectionAddress is no address. The gateway asks again.',
    },
    { upstream: 'COMMERCE', maybeProcessed: true },
  );
