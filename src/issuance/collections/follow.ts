import { backoff } from '@srr-gateway/common/time';
import type { StepResult } from '../../store/row-worker.ts';
import { pauseMs } from '../recover/follow.ts';
import { type CollectionContext, changeWithLog } from './creation.ts';
import { lookUp } from './look-up.ts';
import { miningFault, settle } from './settle.ts';
import { mayBeDeployed } from './submit.ts';

// Pauses between the first queries of the subgraph, which are small. Later pauses are those of issuances.
const askMs = { firstMs: 2_000, maxMs: 60_000 };

/**
 * WAITING_FOR_MINING: waits for a delivery. Asks the subgraph when none has come within `reconcileAfter`, and at once
 * when a delivery needs proof.
 */
export async function follow(context: CollectionContext): Promise<StepResult> {
  const { deps, row } = context;
  const waitMs = row.updated_at.getTime() + deps.timeouts.reconcileAfter - row.read_at.getTime();
  if (waitMs > 0 && row.held === null && row.ask_index_at === null) return { afterMs: waitMs };
  const search = await lookUp(context);
  if (search.state === 'FOUND') return 'again';
  if (row.held?.status === 'FAILED' && !mayBeDeployed(context, search.indexedUntil)) {
    await acceptFailure(context);
    return 'again';
  }
  return retryLater(context);
}

/** FAILED: asks the subgraph until `watch_until`. If the contract turns up, the creation becomes ISSUED. */
export async function watch(context: CollectionContext): Promise<StepResult> {
  const { row } = context;
  if (!row.watch_until || row.watch_until < row.read_at) return 'final';
  const search = await lookUp(context);
  return search.state === 'FOUND' ? 'final' : retryLater(context);
}

/** Applies the held failure. The subgraph is synced far enough and shows no collection with this salt. */
async function acceptFailure(context: CollectionContext): Promise<void> {
  const { failureWatch: watchMs } = context.deps.timeouts;
  await changeWithLog(context, async (trx, row) => {
    if (row.held?.status !== 'FAILED') return;
    const { address, held } = row;
    const error = miningFault(held.message);
    await settle(trx, row, { status: 'FAILED', source: 'WEBHOOK', address, error, watchMs }, held);
  });
}

function retryLater({ row }: CollectionContext): StepResult {
  return { afterMs: pauseMs(row, backoff(row.attempts, askMs)), attempts: row.attempts + 1 };
}
