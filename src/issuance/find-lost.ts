import { sql } from 'kysely';
import { entriesOf, markAccepted } from './batch-outcome.ts';
import { checkpoint } from './checkpoint.ts';
import { type BatchRow, type EntryRow, type MintedRecord, type Turn, tokenText } from './flow.ts';
import { takenTokens } from './owned-elsewhere.ts';
import { wantedElsewhere } from './rivals.ts';
import { isSameRecord } from './same-record.ts';
import { completeWhenDone, lockOwned, touch, transition } from './transition.ts';

/** The index's clock is the chain's, which may trail ours a little. */
const clockSlackMs = 60_000;

/**
 * `FOUND`: the batch is accepted, for a record of it is on chain. `CONTESTED`: a record is there, and another
 * issuance may be the one that has it. `MISSING`: none is there, as far as the index knows the chain.
 */
export interface Search {
  state: 'FOUND' | 'CONTESTED' | 'MISSING';
  indexedUntil?: Date | undefined;
}

/**
 * Looks on chain for the records of a batch whose answer was lost, and settles those it finds. One of
 * them proves that the whole atomic request was accepted.
 */
export async function findLost(turn: Turn, batch: BatchRow): Promise<Search> {
  const { deps, issuance, signal } = turn;
  const lost = (await entriesOf(deps.db, batch)).filter((entry) => entry.token_id === null);
  if (lost.length === 0 || batch.first_sent_at === null) return { state: 'MISSING' };
  const since = new Date(batch.first_sent_at.getTime() - clockSlackMs);
  const { minted, indexedUntil } = await deps.mintedSince(issuance.issuer, since, signal);
  checkpoint('index-asked', issuance.id);
  const taken = await takenTokens(deps.db, issuance, minted);
  const free = minted.filter((one) => !taken.has(tokenText(one)));
  const found = lost.flatMap((entry) => {
    const record = free.find((one) => isSameRecord(entry, one));
    return record ? [{ entry, record }] : [];
  });
  if (found.length === 0) return { state: 'MISSING', indexedUntil };
  // Of an accepted request the records are its own; what is only supposed to be must be nobody else's.
  if (batch.status !== 'ACCEPTED') {
    const records = found.map(({ record }) => record);
    if ((await wantedElsewhere(deps.db, issuance, records)).size > 0) return { state: 'CONTESTED' };
  }
  await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await markAccepted(trx, batch);
    for (const { entry, record } of found) await settleFound(trx, entry, record);
    if (row.status === 'OUTCOME_UNKNOWN')
      await transition(trx, row, 'SUBMITTING', 'its records are on chain, so the request was accepted');
    if (!(await completeWhenDone(trx, row))) await touch(trx, row.id);
  });
  checkpoint('index-recorded', issuance.id);
  return { state: 'FOUND' };
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
