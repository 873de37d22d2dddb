import { sql } from 'kysely';
import type { CommerceRefusal, IssueResult } from '../commerce/commerce.ts';
import { parseAddress } from '../lib/address.ts';
import { lockLog } from '../store/lock-log.ts';
import type { Db } from '../store/store.ts';
import type { BatchRow, EntryRow, Turn } from './flow.ts';
import { matchStoredEvents } from './match-events.ts';
import { placeFaults } from './place-faults.ts';
import { completeWhenDone, lockOwned, touch, transition } from './transition.ts';

export const entriesOf = (db: Db, batch: BatchRow): Promise<EntryRow[]> =>
  db
    .selectFrom('issuance_entry')
    .selectAll()
    .where('issuance_id', '=', batch.issuance_id)
    .where('batch', '=', batch.index)
    .orderBy('index')
    .execute();

/** Records what the service said of a batch. The id columns are filled once and never overwritten. */
export async function acceptBatch(turn: Turn, batch: BatchRow, results: IssueResult[]): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, turn.issuance.issuer);
    const row = await lockOwned(trx, turn);
    const known = results.map((result) => ({
      externalId: result.externalId,
      tokenId: result.tokenId,
      cid: result.metadataCID,
      url: result.metadataURL,
      collection: parseAddress(result.collectionContractAddress ?? '') ?? null,
    }));
    // One statement for thousands of entries. An outcome that came before this answer stays.
    await sql`
      update gateway.issuance_entry as entry set
        token_id = known->>'tokenId',
        metadata_cid = known->>'cid',
        metadata_url = known->>'url',
        collection_address = known->>'collection',
        status = case entry.status when 'PENDING' then 'WAITING_FOR_MINING' else entry.status end,
        outcome_source = case entry.status when 'PENDING' then 'RESPONSE' else entry.outcome_source end,
        updated_at = clock_timestamp()
      from jsonb_array_elements(${JSON.stringify(known)}::jsonb) as known
      where entry.issuance_id = ${batch.issuance_id} and entry.batch = ${batch.index}
        and entry.external_id = known->>'externalId'`.execute(trx);
    await markAccepted(trx, batch);
    await matchStoredEvents(trx, row, batch.index);
    if (!(await completeWhenDone(trx, row))) await touch(trx, row);
  });
}

/** Accepted for certain, though the answer that carried the ids is lost: webhooks will bring them. */
export async function acceptWithoutIds(turn: Turn, batch: BatchRow, reason: string): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, turn.issuance.issuer);
    const row = await lockOwned(trx, turn);
    await markAccepted(trx, batch);
    await matchStoredEvents(trx, row, batch.index);
    if (!(await completeWhenDone(trx, row))) await transition(trx, row, 'SUBMITTING', reason);
  });
}

/** The request is known to be accepted: its entries wait to be mined, except those that are already told of. */
export async function markAccepted(trx: Db, batch: Pick<BatchRow, 'issuance_id' | 'index'>): Promise<void> {
  await trx
    .updateTable('issuance_batch')
    .set({ status: 'ACCEPTED' })
    .where('issuance_id', '=', batch.issuance_id)
    .where('index', '=', batch.index)
    .execute();
  await trx
    .updateTable('issuance_entry')
    .set({ status: 'WAITING_FOR_MINING' })
    .where('issuance_id', '=', batch.issuance_id)
    .where('batch', '=', batch.index)
    .where('status', '=', 'PENDING')
    .execute();
}

async function isAccepted(trx: Db, batch: Pick<BatchRow, 'issuance_id' | 'index'>): Promise<boolean> {
  const { status } = await trx
    .selectFrom('issuance_batch')
    .select('status')
    .where('issuance_id', '=', batch.issuance_id)
    .where('index', '=', batch.index)
    .executeTakeFirstOrThrow();
  return status === 'ACCEPTED';
}

/** The service refused the batch: nothing of it is issued, and each entry says why. */
export async function rejectBatch(turn: Turn, batch: BatchRow, refusal: CommerceRefusal): Promise<void> {
  await turn.deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    // A webhook may have proved the acceptance while the refusal was on its way.
    if (await isAccepted(trx, batch)) return;
    const entries = await entriesOf(trx, batch);
    const { ofRequest, ofEntries } = placeFaults(refusal.faults, entries);
    const errors = entries.map(({ index }, i) => ({ index, error: ofEntries[i] }));
    await sql`
      update gateway.issuance_entry as entry set
        status = 'FAILED', outcome_source = 'RESPONSE', error = refused->'error',
        updated_at = clock_timestamp()
      from jsonb_array_elements(${JSON.stringify(errors)}::jsonb) as refused
      where entry.issuance_id = ${batch.issuance_id} and entry.index = (refused->>'index')::int`.execute(trx);
    await trx
      .updateTable('issuance_batch')
      .set({ status: 'REJECTED' })
      .where('issuance_id', '=', batch.issuance_id)
      .where('index', '=', batch.index)
      .execute();
    const rest = await trx
      .selectFrom('issuance_batch')
      .select('index')
      .where('issuance_id', '=', row.id)
      .where('status', '!=', 'REJECTED')
      .executeTakeFirst();
    if (!rest)
      await transition(trx, row, 'REJECTED', 'the service refused it; nothing was issued', ofRequest);
    else if (!(await completeWhenDone(trx, row))) await touch(trx, row);
  });
}
