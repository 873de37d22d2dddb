import type { Db } from '../store/tables.ts';

/**
 * Queues what was mined above block `head` to be mined again. Call it at start, before anything is mined: the
 * chain has lost its last blocks when it was killed between two writes of its state, or when its directory was
 * removed.
 */
export async function requeueLostRows(db: Db, head: number): Promise<void> {
  const again = { status: 'waiting_for_mining' as const, tx_hash: null, block_number: null };
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('srr')
      .set(again)
      .where('status', '=', 'issued')
      .where('block_number', '>', `${head}`)
      .execute();
    await trx
      .updateTable('collection')
      .set(again)
      .where('status', '=', 'created')
      .where('block_number', '>', `${head}`)
      .execute();
  });
}
