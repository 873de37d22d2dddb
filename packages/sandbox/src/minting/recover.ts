import type { Db } from '../store/tables.ts';

/**
 * At a start, before anything new is mined: when the chain lost its last blocks (it was killed between
 * two writes of its state, or its directory was removed), what was mined in them is mined again.
 */
export async function mineLostAgain(db: Db, head: number): Promise<{ records: number; collections: number }> {
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
