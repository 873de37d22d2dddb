import { sql } from 'kysely';
import { entriesOf, markAccepted } from './batch-outcome.ts';
import { checkpoint } from './checkpoint.ts';
import { type BatchRow, type EntryRow, type MintedRecord, type Turn, tokenText } from './flow.ts';
import { takenTokens } from './owned-elsewhere.ts';
import { isSameRecord } from './same-record.ts';
import { completeWhenDone, lockOwned, touch, transition } from './transition.ts';

/** The index's clock is the chain's, which may trail ours a little. */
const clockSlackMs = 60_000;

/**
 * Looks on chain for the records of a batch whose answer was lost, and settles those it finds. One of
 * them proves that the whole atomic request was accepted.
 * @returns whether the batch is known to be accepted.
 */
export async function findLost(turn: Turn, batch: BatchRow): Promise<boolean> {
  const { deps, issuance, signal } = turn;
  const lost = (await entriesOf(deps.db, batch)).filter((entry) => entry.token_id === null);
  if (lost.length === 0 || batch.first_sent_at === null) return false;
  const since = new Date(batch.first_sent_at.getTime() - clockSlackMs);
  const minted = await deps.mintedSince(issuance.issuer, since, signal);
  checkpoint('index-asked', issuance.id);
  const taken = await takenTokens(deps.db, issuance, minted);
  const free = minted.filter((one) => !taken.has(tokenText(one)));
  const found = lost.flatMap((entry) => {
    const record = free.find((one) => isSameRecord(entry, one));
    return record ? [{ entry, record }] : [];
  });
  if (found.length === 0) return false;
  await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await markAccepted(trx, batch);
    await trx
      .updateTable('issuance_entry')
      .set({ status: 'WAITING_FOR_MINING' })
      .where('issuance_id', '=', batch.issuance_id)
      .where('batch', '=', batch.index)
      .where('status', '=', 'PENDING')
      .execute();
    for (const { entry, record } of found) await settleFound(trx, entry, record);
    if (row.status === 'OUTCOME_UNKNOWN')
      await transition(trx, row, 'SUBMITTING', 'its records are on chain, so the request was accepted');
    if (!(await completeWhenDone(trx, row))) await touch(trx, row.id);
  });
  checkpoint('index-recorded', issuance.id);
  return true;
}

async function settleFound(
  trx: Parameters<typeof markAccepted>[0],
  entry: EntryRow,
  record: MintedRecord,
): Promise<void> {
  await trx
    .updateTable('issuance_entry')
    .set({
      status: 'ISSUED',
      outcome_source: 'SUBGRAPH',
      error: null,
      token_id: record.tokenId,
      collection_address: record.collection,
      metadata_cid: record.metadataCID,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('issuance_id', '=', entry.issuance_id)
    .where('index', '=', entry.index)
    .where('status', '!=', 'ISSUED')
    .execute();
}
