import { checkpoint } from '../checkpoint.ts';
import { findLost } from '../find-lost.ts';
import type { Next, Turn } from '../flow.ts';
import { applyIndexed } from '../match-events.ts';
import { completeWhenDone, lockOwned, touch } from '../transition.ts';

// The index follows the chain by seconds; asking it this often costs one small query an issuance.
const askAgainMs = 15_000;

/** WAITING_FOR_MINING: webhooks settle it; entries they leave waiting too long are looked up on chain. */
export async function follow(turn: Turn): Promise<Next> {
  const { deps, issuance, signal } = turn;
  const patience = issuance.updated_at.getTime() + deps.timeouts.reconcileAfter - Date.now();
  if (patience > 0) return { afterMs: patience };
  const waiting = await deps.db
    .selectFrom('issuance_entry')
    .select(['token_id', 'collection_address'])
    .where('issuance_id', '=', issuance.id)
    .where('status', '=', 'WAITING_FOR_MINING')
    .where('token_id', 'is not', null)
    .execute();
  await findAllLost(turn);
  const tokens = waiting.map((entry) => ({
    tokenId: entry.token_id as string,
    collection: entry.collection_address,
  }));
  const { minted } = await deps.mintedOf(tokens, signal);
  checkpoint('index-asked', issuance.id);
  await deps.db.transaction().execute(async (trx) => {
    const row = await lockOwned(trx, turn);
    await applyIndexed(trx, row.id, minted);
    if (!(await completeWhenDone(trx, row)) && minted.length > 0) await touch(trx, row);
  });
  return { afterMs: askAgainMs };
}

/** Batches that are known to be accepted while their ids are not. */
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
  for (const batch of batches) await findLost(turn, batch);
}
