import { fromNow } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';
import type { BatchRow, EntryRow } from './flow.ts';

/** Key of a batch. */
export type BatchKey = Pick<BatchRow, 'issuance_id' | 'index'>;

/** The entries of a batch in order, with their payloads. */
export const entriesOf = (db: Db, batch: BatchKey): Promise<EntryRow[]> =>
  db
    .selectFrom('issuance_entry')
    .selectAll()
    .where('issuance_id', '=', batch.issuance_id)
    .where('batch', '=', batch.index)
    .orderBy('index')
    .execute();

/** Marks a batch as accepted. Its entries without an outcome wait for mining. */
export async function markAccepted(trx: Db, batch: BatchKey): Promise<void> {
  await trx
    .with('accepted', (db) =>
      db
        .updateTable('issuance_batch')
        .set({ status: 'ACCEPTED' })
        .where('issuance_id', '=', batch.issuance_id)
        .where('index', '=', batch.index),
    )
    .updateTable('issuance_entry')
    .set({ status: 'WAITING_FOR_MINING' })
    .where('issuance_id', '=', batch.issuance_id)
    .where('batch', '=', batch.index)
    .where('status', '=', 'PENDING')
    .execute();
}

/** Watches the chain for the failed records of a batch, for `watchMs` from now. */
export async function watchBatch(trx: Db, batch: BatchKey, watchMs: number): Promise<void> {
  await trx
    .updateTable('issuance_batch')
    .set({ watch_until: fromNow(watchMs) })
    .where('issuance_id', '=', batch.issuance_id)
    .where('index', '=', batch.index)
    .execute();
}
