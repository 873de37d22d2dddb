import type { Address } from '@srr-gateway/common/address';
import type { Fault } from '../../model/errors.ts';
import { afterNotDeployed } from '../../model/mining-failed.ts';
import { appendEvents, type NewEvent } from '../../store/append-events.ts';
import { fromNow, now } from '../../store/database-time.ts';
import { collectionEvents } from '../../store/events-of-issuance.ts';
import { Signals } from '../../store/signals.ts';
import type { Db } from '../../store/store.ts';
import type { OutcomeSource } from '../../store/tables.ts';
import type { CollectionCreationRow } from './creation.ts';

/** How a creation ended. */
export type CollectionOutcome = { source: OutcomeSource; address: Address | null } & (
  | { status: 'ISSUED' }
  | {
      status: 'FAILED';
      error: Fault;
      /** How long the subgraph is queried for the contract after all. 0: no request was sent that could create it. */
      watchMs: number;
      /** The service refused the only request, so the salt may be used again. */
      saltFree?: boolean;
    }
);

/** Writes the outcome of a locked creation. The caller has checked it against `decision-table.ts`. */
export async function writeOutcome(
  trx: Db,
  row: CollectionCreationRow,
  outcome: CollectionOutcome,
): Promise<void> {
  const failed = outcome.status === 'FAILED' ? outcome : undefined;
  const watchMs = failed?.watchMs ?? 0;
  await trx
    .updateTable('collection_creation')
    .set({
      status: outcome.status,
      address: outcome.address ?? row.address,
      outcome_source: outcome.source,
      error: failed ? JSON.stringify(failed.error) : null,
      held: null,
      last_fault: null,
      unanswered_at: null,
      // From here on only the subgraph is queried, without an API key.
      sealed_key: null,
      salt_free: failed?.saltFree ?? false,
      watch_until: watchMs > 0 ? fromNow(watchMs) : null,
      next_at: watchMs > 0 ? now : null,
      attempts: 0,
      lease_owner: null,
      lease_until: null,
      updated_at: now,
      completed_at: now,
    })
    .where('id', '=', row.id)
    .execute();
  await Signals.send(trx, 'collection', row.id);
}

/**
 * Writes an outcome and appends its event, unless subscribers have seen it. The caller holds the log's lock.
 */
export async function settle(
  trx: Db,
  row: CollectionCreationRow,
  outcome: CollectionOutcome,
  delivery?: Delivery,
): Promise<void> {
  const published = await isPublished(trx, row, outcome);
  await writeOutcome(trx, row, outcome);
  if (!published) await appendEvents(trx, row.issuer, [eventOf(row, outcome, delivery)]);
}

/** Whether subscribers have seen this outcome, by a delivery that came before the address was known. */
export async function isPublished(
  trx: Db,
  { issuer, address: known, created_at }: CollectionCreationRow,
  { status, address }: CollectionOutcome,
): Promise<boolean> {
  const events = await collectionEvents(trx, issuer, address ?? known, created_at);
  return events.some(({ type }) => type === typeOf(status));
}

/** The delivery that brought an outcome. */
type Delivery = Pick<NewEvent, 'kind' | 'message' | 'raw'>;

const typeOf = (status: CollectionOutcome['status']) =>
  status === 'ISSUED' ? 'COLLECTION_CREATED' : 'COLLECTION_FAILED';

/** The event of an outcome, from its delivery or from what the gateway itself found. */
function eventOf(row: CollectionCreationRow, outcome: CollectionOutcome, delivery?: Delivery): NewEvent {
  const { name, symbol, salt } = row;
  const collection = outcome.address ?? row.address;
  return {
    type: typeOf(outcome.status),
    kind: delivery?.kind ?? (outcome.source === 'SUBGRAPH' ? 'index' : 'response'),
    source: outcome.source,
    // ISSUED and FAILED are one event each.
    dedupe: `collection:${row.id}:${outcome.status}`,
    externalId: null,
    tokenId: null,
    collection,
    message:
      delivery?.message ?? (outcome.status === 'FAILED' ? (outcome.error.upstreamMessage ?? null) : null),
    raw: delivery?.raw ?? {
      name,
      symbol,
      salt,
      collectionAddress: collection,
      requestId: row.request_id,
      ...(outcome.status === 'FAILED' && { error: outcome.error }),
    },
  };
}

/** The fault of a collection whose deployment failed. `message` is the service's text, if it gave one. */
export const miningFault = (message: string | null): Fault => ({
  code: 'MINING_FAILED',
  message: `The collection could not be deployed. ${afterNotDeployed}`,
  ...(message !== null && { upstreamMessage: message }),
});
