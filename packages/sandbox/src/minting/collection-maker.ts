import type { Logger } from '@srr-gateway/common/log';
import type { Selectable } from 'kysely';
import type { Chain } from '../chain/chain.ts';
import { startWorkerPool, type WorkerPool } from '../lib/worker-pool.ts';
import type { CollectionTable, Db } from '../store/tables.ts';
import { queueDelivery } from '../webhooks/outbox.ts';

type WaitingCollection = Selectable<CollectionTable>;

type Outcome =
  | { status: 'created'; txHash: string | null; blockNumber: number }
  | { status: 'failed'; txHash: string | null; reason: string };

/** Dependencies of the collection maker. */
interface CollectionMakerOptions {
  db: Db;
  chain: Pick<Chain, 'createCollection' | 'client'>;
  log: Logger;
  /** Called when a collection is deployed or has failed, and its delivery is queued. */
  onSettled(): void;
}

/** Collections are rarely created; this many at once put a burst of them into one block. */
const concurrency = 16;

/** Deploys accepted collections, and queues the webhook that reports the outcome. */
export function startCollectionMaker(options: CollectionMakerOptions): WorkerPool {
  const { db, chain } = options;
  return startWorkerPool<WaitingCollection>({
    name: 'collection maker',
    log: options.log,
    concurrency,
    idOf: ({ id }) => id,
    find: async (limit) => ({
      items: await db
        .selectFrom('collection')
        .selectAll()
        .where('status', '=', 'waiting_for_mining')
        .orderBy('id')
        .limit(limit)
        .execute(),
    }),
    run: async (collection) => {
      await settle(collection, await create(collection));
      options.onSettled();
    },
  });

  async function create(collection: WaitingCollection): Promise<Outcome> {
    const outcome = await chain.createCollection({
      owner: collection.issuer,
      name: collection.name,
      symbol: collection.symbol,
      salt: collection.salt as `0x${string}`,
    });
    if (outcome.status === 'mined')
      return { status: 'created', txHash: outcome.txHash, blockNumber: outcome.blockNumber };
    // A process that died before it stored the outcome may have deployed the contract.
    if (await isOurs(collection))
      return {
        status: 'created',
        txHash: null,
        blockNumber: Number(await chain.client.getBlockNumber({ cacheTime: 0 })),
      };
    return { status: 'failed', txHash: outcome.txHash ?? null, reason: outcome.reason };
  }

  /** Whether this row's contract is on the chain. It belongs to the first row with its salt. */
  async function isOurs({ id, address }: WaitingCollection): Promise<boolean> {
    const code = await chain.client.getCode({ address: address as `0x${string}` });
    if (code === undefined || code === '0x') return false;
    const first = await db
      .selectFrom('collection')
      .select((eb) => eb.fn.min('id').as('id'))
      .where('address', '=', address)
      .executeTakeFirst();
    return first?.id === id;
  }

  async function settle(collection: WaitingCollection, outcome: Outcome): Promise<void> {
    const { id, issuer, name, symbol, salt, address } = collection;
    const created = outcome.status === 'created';
    await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('collection')
        .set({
          status: outcome.status,
          tx_hash: outcome.txHash,
          block_number: outcome.status === 'created' ? outcome.blockNumber : null,
          reason: outcome.status === 'failed' ? outcome.reason : null,
          updated_at: new Date(),
        })
        .where('id', '=', id)
        .execute();
      await queueDelivery(trx, issuer, created ? 'collection_created' : 'collection_create_failed', [
        {
          status: outcome.status,
          name,
          symbol,
          salt,
          collectionAddress: address,
          ...(outcome.status === 'failed' && { message: outcome.reason }),
        },
      ]);
    });
  }
}
