import { backoff } from '@srr-gateway/common/time';
import { lockLog } from '../../store/lock-log.ts';
import type { Next } from '../../store/row-worker.ts';
import { type CollectionTurn, lockOwned } from './creation.ts';
import { lookUp } from './look-up.ts';
import { miningFault, settle } from './settle.ts';
import { mayBeDeployed } from './submit.ts';

// Pauses between looks at the subgraph. A look is one small query; a contract that takes long is asked for
// less often.
const askMs = { firstMs: 2_000, maxMs: 60_000 };

/**
 * WAITING_FOR_MINING: waits for a delivery. Asks the subgraph when none comes within `reconcileAfter`, and at
 * once when a delivery needs proof.
 */
export async function follow(turn: CollectionTurn): Promise<Next> {
  const { deps, row } = turn;
  const patience = row.updated_at.getTime() + deps.timeouts.reconcileAfter - Date.now();
  if (patience > 0 && row.held === null && row.ask_index_at === null) return { afterMs: patience };
  const search = await lookUp(turn);
  if (search.state === 'FOUND') return 'again';
  if (row.held?.status === 'FAILED' && !mayBeDeployed(turn, search.indexedUntil)) {
    await believeFailure(turn);
    return 'again';
  }
  return askAgain(turn);
}

/** FAILED: asks the subgraph until `watch_until`. A contract that is there all the same makes it ISSUED. */
export async function watch(turn: CollectionTurn): Promise<Next> {
  const { row } = turn;
  if (!row.watch_until || row.watch_until.getTime() < Date.now()) return 'final';
  const search = await lookUp(turn);
  return search.state === 'FOUND' ? 'final' : askAgain(turn);
}

/**
 * Settles the held failure: as far as the subgraph is synced, no request with this salt made a collection.
 */
async function believeFailure(turn: CollectionTurn): Promise<void> {
  const { failureWatch: watchMs } = turn.deps.timeouts;
  await turn.deps.db.transaction().execute(async (trx) => {
    await lockLog(trx, turn.row.issuer);
    const row = await lockOwned(trx, turn);
    if (row.held?.status !== 'FAILED') return;
    const { address, held } = row;
    const error = miningFault(held.message);
    await settle(trx, row, { status: 'FAILED', source: 'WEBHOOK', address, error, watchMs }, held);
  });
}

function askAgain({ row }: CollectionTurn): Next {
  return { afterMs: backoff(row.attempts, askMs), attempts: row.attempts + 1 };
}
