import { sql } from 'kysely';
import { GatewayError } from '../../model/errors.ts';
import { batchesWithHeldFailures } from '../../store/events-of-issuance.ts';
import type { StepResult } from '../../store/row-worker.ts';
import { checkpoint } from '../checkpoint.ts';
import type { StepContext } from '../flow.ts';
import { releaseHeld } from '../outcomes/held-deliveries.ts';
import { settleIndexed } from '../outcomes/settle-indexed.ts';
import { afterOutcomes, changeOwned, changeWithLog, moveOn } from '../transition.ts';
import { entriesOnChain } from './entries-on-chain.ts';
import { recoverBatch } from './recover-batch.ts';

/** The subgraph is seconds behind the chain. */
const askMs = { min: 15_000, max: 3_600_000 };
/**
 * Pauses grow, because an outcome whose report is lost may stay unknown for ever, and such issuances accumulate over
 * the years.
 */
const shareOfWait = 1 / 20;

type Times = Pick<StepContext['issuance'], 'read_at' | 'updated_at' | 'ask_index_at'>;

/** The pause until the subgraph is queried again. It grows with the time since the last news. */
export function pauseMs({ read_at, updated_at, ask_index_at }: Times, minMs = askMs.min): number {
  const quietMs = read_at.getTime() - Math.max(updated_at.getTime(), ask_index_at?.getTime() ?? 0);
  return Math.min(askMs.max, Math.max(minMs, quietMs * shareOfWait));
}

/**
 * The same while the configuration lacks the issuer. An operator may add it again, and another replica may have it
 * already.
 */
export const followPauseWithoutKeyMs = (row: Times): number => Math.min(60_000, pauseMs(row));

/** WAITING_FOR_MINING: waits for deliveries. Queries the subgraph for entries that wait too long. */
export async function follow(context: StepContext): Promise<StepResult> {
  const { deps, issuance, signal } = context;
  const askAt =
    issuance.ask_index_at?.getTime() ?? (await waitingSince(context)) + deps.timeouts.reconcileAfter;
  const waitMs = askAt - issuance.read_at.getTime();
  if (waitMs > 0) return { afterMs: waitMs };
  await findAllLost(context);
  const waiting = await deps.db
    .selectFrom('issuance_entry')
    .select(['issuance_id', 'index', 'token_id', 'collection_address'])
    .where('issuance_id', '=', issuance.id)
    .where('status', '=', 'WAITING_FOR_MINING')
    .where('token_id', 'is not', null)
    .execute();
  const found = await entriesOnChain(deps, waiting, signal);
  checkpoint('subgraph-asked', issuance.id);
  // Usually nothing is found, and deliveries need not wait for a transaction.
  if (found.length === 0) await changeOwned(context, moveOn);
  else
    await changeWithLog(context, (trx, row) =>
      settleIndexed(trx, row.issuer, found, deps.timeouts.failureWatch),
    );
  await releaseOverdueFailures(context);
  return { afterMs: pauseMs(issuance) };
}

/** Applies failures that may be about another request, once their records should be on chain. */
async function releaseOverdueFailures(context: StepContext): Promise<void> {
  const { deps, issuance } = context;
  const { reconcileAfter, failureWatch } = deps.timeouts;
  const waiting = sql`
    select issuance_id, index, batch, external_id, token_id, collection_address from gateway.issuance_entry
    where issuance_id = ${issuance.id} and status = 'WAITING_FOR_MINING'`;
  const before = new Date(issuance.read_at.getTime() - reconcileAfter);
  const batches = await batchesWithHeldFailures(deps.db, issuance.issuer, waiting, {
    since: issuance.created_at,
    before,
  });
  if (batches.length === 0) return;
  await changeWithLog(context, async (trx, row) => {
    let settled = false;
    for (const batch of batches)
      if (await releaseHeld(trx, row, batch, 'MINING_OVERDUE', failureWatch)) settled = true;
    if (settled) await afterOutcomes(trx, row);
  });
}

/**
 * Follows accepted entries while a later request of the issuance has no answer. That may take hours, or for ever when
 * the issuer has left. A subgraph error does not stop the step, which asks the service anyway.
 */
export async function followAccepted(context: StepContext): Promise<void> {
  if ((await waitingSince(context)) === 0) return;
  await follow(context).catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
  });
}

/** When the oldest waiting entry was accepted; 0 without one. Deliveries for other entries do not change it. */
async function waitingSince({ deps, issuance }: StepContext): Promise<number> {
  const { since } = await deps.db
    .selectFrom('issuance_entry')
    .select((eb) => eb.fn.min<Date | null>('updated_at').as('since'))
    .where('issuance_id', '=', issuance.id)
    .where('status', '=', 'WAITING_FOR_MINING')
    .executeTakeFirstOrThrow();
  return since?.getTime() ?? 0;
}

/** Looks for the records of accepted batches whose token ids are not known. */
async function findAllLost(context: StepContext): Promise<void> {
  const batches = await context.deps.db
    .selectFrom('issuance_batch')
    .selectAll()
    .where('issuance_id', '=', context.issuance.id)
    .where('index', 'in', (sub) =>
      sub
        .selectFrom('issuance_entry')
        .select('batch')
        .where('issuance_id', '=', context.issuance.id)
        .where('status', '=', 'WAITING_FOR_MINING')
        .where('token_id', 'is', null),
    )
    .execute();
  for (const batch of batches) await recoverBatch(context, batch);
}
