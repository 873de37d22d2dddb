import type { Address } from '@srr-gateway/common/address';
import type { NewEvent } from '../../store/append-events.ts';
import { fromNow, now } from '../../store/database-time.ts';
import { Signals } from '../../store/signals.ts';
import type { Db } from '../../store/store.ts';
import type { HeldDelivery } from '../../store/tables.ts';
import { checkpoint } from '../checkpoint.ts';
import { type Consequence, decide, type Report } from '../decision-table.ts';
import { type CollectionCreationRow, decisionStateOf } from './creation.ts';
import { type CreationMatch, matchCreation } from './match.ts';
import { type CollectionOutcome, isPublished, miningFault, settle, writeOutcome } from './settle.ts';

/**
 * Applies a delivery about a collection by `decision-table.ts`, and settles its creation. Runs in the transaction
 * that stores the delivery, under the lock of the issuer's log. Late, early and repeated deliveries, and those about
 * no known creation, are harmless.
 * @param watchMs How long the chain is watched after a failure.
 * @returns The event, with `visible: false` when it has nothing new and certain for subscribers.
 */
export async function applyToCollection(
  trx: Db,
  issuer: Address,
  event: NewEvent,
  watchMs: number,
): Promise<NewEvent> {
  const match = await matchCreation(trx, issuer, event);
  // Without an address it cannot be a CollectionCreated event.
  if (!match)
    return event.type === 'COLLECTION_CREATED' && event.collection === null ? unclear(event) : event;
  const { row, sure } = match;
  // A replayed delivery that came before this creation is about an earlier one.
  if (event.replayed && event.replayed.receivedAt < row.created_at) return event;
  checkpoint('settling', row.id);
  const address = event.collection ?? row.address;
  const about = { ...event, collection: address };
  const consequence = decide(reportOf(event), decisionStateOf(row));
  if (event.firstReceivedAt) {
    if (isOfEarlierRequest(event.firstReceivedAt, consequence, row)) await hold(trx, match, event, 'FAILED');
    return event;
  }
  const isKnown = address !== null && sure;
  if ((consequence === 'ISSUED' || consequence === 'FAILED') && !isKnown) {
    // Hold it until the service's answer or the subgraph brings the address.
    await hold(trx, match, event, consequence);
    return { ...about, visible: false };
  }
  switch (consequence) {
    case 'ISSUED':
      return settleBy(trx, row, about, { status: 'ISSUED', source: 'WEBHOOK', address });
    case 'FAILED': {
      const error = miningFault(event.message);
      return settleBy(trx, row, about, { status: 'FAILED', source: 'WEBHOOK', address, error, watchMs });
    }
    case 'HELD':
      await hold(trx, match, event, 'FAILED');
      return { ...about, visible: false };
    case 'ASK_SUBGRAPH':
      await askSubgraph(trx, row, watchMs);
      return unclear(about);
    case 'ADD_TO_HISTORY':
      return { ...about, visible: false };
    default:
      return event;
  }
}

/** Whether a repeated failure may be about an earlier creation, so that the subgraph must decide. */
const isOfEarlierRequest = (
  firstReceivedAt: Date,
  consequence: Consequence,
  { last_sent_at: sentAt }: CollectionCreationRow,
): boolean =>
  (consequence === 'FAILED' || consequence === 'HELD') && sentAt !== null && firstReceivedAt < sentAt;

/** The report of a delivery about its creation. */
function reportOf({ type }: NewEvent): Report {
  if (type === 'COLLECTION_CREATED') return 'DELIVERY_ISSUED';
  return type === 'COLLECTION_FAILED' ? 'DELIVERY_FAILED' : 'DELIVERY_UNCLEAR';
}

const unclear = (event: NewEvent): NewEvent => ({ ...event, type: 'UNRECOGNIZED' });

/**
 * Makes the delivery the event of the outcome. A replayed delivery keeps its place in the log, so its outcome
 * becomes a new event.
 */
async function settleBy(
  trx: Db,
  row: CollectionCreationRow,
  about: NewEvent,
  outcome: CollectionOutcome,
): Promise<NewEvent> {
  if (about.replayed) {
    await settle(trx, row, outcome, about);
    return { ...about, visible: false };
  }
  const visible = !(await isPublished(trx, row, outcome));
  await writeOutcome(trx, row, outcome);
  return { ...about, visible };
}

/** Stores the delivery to apply it later. If it is certainly about this creation, it proves acceptance. */
async function hold(
  trx: Db,
  { row, sure }: CreationMatch,
  event: NewEvent,
  status: HeldDelivery['status'],
): Promise<void> {
  // A reported creation overrides a failure, which may be that of another request with the same salt.
  if (row.held?.status === 'ISSUED') return;
  const { kind, message, raw, collection: address } = event;
  const held: HeldDelivery = { status, sure, address, kind, message, raw };
  await trx
    .updateTable('collection_creation')
    .set({
      // Also a failed creation, whose error is no longer true.
      ...(sure && {
        status: 'WAITING_FOR_MINING',
        sealed_key: null,
        address: row.address ?? address,
        error: null,
        outcome_source: null,
        completed_at: null,
      }),
      held: JSON.stringify(held),
      ask_index_at: now,
      next_at: now,
      updated_at: now,
    })
    .where('id', '=', row.id)
    .execute();
  await Signals.send(trx, 'collection', row.id);
  await Signals.send(trx, 'due', 'collection_creation');
}

/** Lets the subgraph decide. A failed creation is watched again from now on. */
async function askSubgraph(trx: Db, row: CollectionCreationRow, watchMs: number): Promise<void> {
  await trx
    .updateTable('collection_creation')
    .set({
      ask_index_at: now,
      next_at: now,
      ...(row.status === 'FAILED' && { watch_until: fromNow(watchMs) }),
    })
    .where('id', '=', row.id)
    .execute();
  await Signals.send(trx, 'due', 'collection_creation');
}
