import { recordKeyText } from '../../model/record.ts';
import { lockLog } from '../../store/lock-log.ts';
import type { Next } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import type { Turn } from '../flow.ts';
import { recoverBatch } from '../recover-batch.ts';
import { settleIndexed } from '../settle-indexed.ts';
import { completeWhenDone, lockOwned } from '../transition.ts';

// The subgraph trails the chain by seconds. Asking this often costs one small query for each issuance.
const askAgainMs = 15_000;

/** WAITING_FOR_MINING: webhooks settle it. The subgraph is asked for entries that wait too long. */
export async function follow(turn: Turn): Promise<Next> {
  const { deps, issuance, signal } = turn;
  const askAt = issuance.ask_index_at?.getTime() ?? (await waitingSince(turn)) + deps.timeouts.reconcileAfter;
  const patience = askAt - Date.now();
  if (patience > 0) return { afterMs: patience };
  await findAllLost(turn);
  const waiting = await deps.db
    .selectFrom('issuance_entry')
    .select(['issuance_id', 'index', 'token_id', 'collection_address'])
    .where('issuance_id', '=', issuance.id)
    .where('status', '=', 'WAITING_FOR_MINING')
    .where('token_id', 'is not', null)
    .execute();
  const records = waiting.map((entry) => ({
    entry,
    record: { tokenId: entry.token_id as string, collection: entry.collection_address },
  }));
  const { minted } = await deps.mintedOf(
    records.map(({ record }) => record),
    signal,
  );
  checkpoint('index-asked', issuance.id);
  const shown = new Set(minted.map(recordKeyText));
  const found = records.filter(({ record }) => shown.has(recordKeyText(record)));
  await deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, issuance.issuer);
    const row = await lockOwned(trx, turn);
    if (found.length > 0) await settleIndexed(trx, row.issuer, found, deps.timeouts.failureWatch);
    else await completeWhenDone(trx, row);
  });
  return { afterMs: askAgainMs };
}

/** When the first of the entries that still wait was accepted. Deliveries for other entries do not move it. */
async function waitingSince({ deps, issuance }: Turn): Promise<number> {
  const { since } = await deps.db
    .selectFrom('issuance_entry')
    .select((eb) => eb.fn.min<Date | null>('updated_at').as('since'))
    .where('issuance_id', '=', issuance.id)
    .where('status', '=', 'WAITING_FOR_MINING')
    .executeTakeFirstOrThrow();
  return since?.getTime() ?? 0;
}

/** Looks for the records of batches that were accepted while their token ids are not known. */
async function findAllLost(turn: Turn): Promise<void> {
  const batches = await turn.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', turn.issuance.id)
    .where('index', 'in', (sub) =>
      sub
        .selectFrom('issuance_entry')
        .select('batch')
        .where('issuance_id', '=', turn.issuance.id)
        .where('status', '=', 'WAITING_FOR_MINING')
        .where('token_id', 'is', null),
    )
    .execute();
  for (const batch of batches) await recoverBatch(turn, batch);
}
