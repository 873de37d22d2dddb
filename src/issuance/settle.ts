import type { Db } from '../store/store.ts';
import { markAccepted } from './batch-outcome.ts';
import { checkpoint } from './checkpoint.ts';
import { settleCollection } from './collection-creation.ts';
import type { EntryRow } from './flow.ts';
import { applyOutcome, type EventRow } from './match-events.ts';
import { completeWhenDone, lock, touch, transition } from './transition.ts';

/**
 * Settles entries by newly stored events, within the transaction that stores them. Harmless for events
 * that are late, early, repeated, out of order, or nobody's.
 */
export async function settle(trx: Db, events: EventRow[]): Promise<void> {
  for (const event of events) {
    if (event.type === 'COLLECTION_CREATED' || event.type === 'COLLECTION_FAILED')
      await settleCollection(trx, event);
    if (event.type !== 'SRR_ISSUED' && event.type !== 'SRR_FAILED') continue;
    const ids = await trx
      .selectFrom('issuance_entry')
      .select('issuance_id')
      .distinct()
      .where('issuer', '=', event.issuer)
      .where((where) =>
        where.or([
          where('external_id', '=', event.external_id),
          where.and([where('token_id', 'is not', null), where('token_id', '=', event.token_id)]),
        ]),
      )
      .orderBy('issuance_id')
      .execute();
    for (const { issuance_id } of ids) await settleIssuance(trx, issuance_id, event);
  }
}

async function settleIssuance(trx: Db, id: string, event: EventRow): Promise<void> {
  const row = await lock(trx, id);
  if (!row) return;
  checkpoint('settling', id);
  const entries = await trx
    .selectFrom('issuance_entry as entry')
    .innerJoin('issuance_batch as batch', (join) =>
      join.onRef('batch.issuance_id', '=', 'entry.issuance_id').onRef('batch.index', '=', 'entry.batch'),
    )
    .selectAll('entry')
    .select('batch.status as batchStatus')
    .where('entry.issuance_id', '=', id)
    .where('batch.status', 'in', ['SENDING', 'UNKNOWN', 'ACCEPTED'])
    .execute();
  let changed = false;
  for (const { batchStatus, ...entry } of entries.filter((candidate) => isMeant(candidate, event))) {
    changed = (await applyOutcome(trx, entry, event)) || changed;
    // Atomic batch: one minted record proves that the whole request was accepted.
    if (event.type === 'SRR_ISSUED' && batchStatus !== 'ACCEPTED') {
      await markAccepted(trx, { issuance_id: id, index: entry.batch });
      await trx
        .updateTable('issuance_entry')
        .set({ status: 'WAITING_FOR_MINING' })
        .where('issuance_id', '=', id)
        .where('batch', '=', entry.batch)
        .where('status', '=', 'PENDING')
        .execute();
      if (row.status === 'OUTCOME_UNKNOWN')
        await transition(trx, row, 'SUBMITTING', 'a mined record proves that the request was accepted');
    }
  }
  if (changed && !(await completeWhenDone(trx, row))) await touch(trx, id);
}

/** By token when both sides know it (an externalId alone could be an older record's), else by externalId. */
function isMeant(entry: EntryRow, event: EventRow): boolean {
  if (entry.token_id !== null && event.token_id !== null) return entry.token_id === event.token_id;
  return event.external_id !== null && entry.external_id === event.external_id;
}
