import type { Db } from '../store/tables.ts';

/**
 * Queues rows that were mined above block `head` again. Call this at start, before anything is mined. The chain loses
 * its last blocks when it is killed between two writes of its state, or when its directory is removed.
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
