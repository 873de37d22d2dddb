import type { Db } from '../store/tables.ts';

/**
 * Queues what was mined above block `head` to be mined again, and returns how much that is. Call it at start,
 * before anything is mined: the chain has lost its last blocks when it was killed between two writes of its
 * state, or when its directory was removed.
 */
export async function requeueLostRows(
  db: Db,
  head: number,
): Promise<{ records: number; collections: number }> {
  const again = { status: 'waiting_for_mining' as const, tx_hash: null, block_number: null };
  return db.transaction().execute(async (trx) => {
    const records = await trx
      .updateTable('srr')
      .set(again)
      .where('status', '=', 'issued')
      .where('block_number', '>', `${head}`)
      .executeTakeFirst();
    const collections = await trx
      .updateTable('collection')
      .set(again)
      .where('status', '=', 'created')
      .where('block_number', '>', `${head}`)
      .executeTakeFirst();
    return { records: Number(records.numUpdatedRows), collections: Number(collections.numUpdatedRows) };
  });
}
