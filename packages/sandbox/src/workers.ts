import type { Container } from './container.ts';
import type { WorkerPool } from './lib/worker-pool.ts';
import { startCollectionMaker } from './minting/collection-maker.ts';
import { startMinter } from './minting/minter.ts';
import { OutcomeWriter } from './minting/outcome-writer.ts';
import { startHasher } from './storage/hasher.ts';
import { startWebhookSender } from './webhooks/sender.ts';
import { type TransferWatch, watchTransfers } from './webhooks/transfer-watch.ts';

type PoolName = 'hasher' | 'minter' | 'collections' | 'webhooks';

/** The background work: hashing files, mining, sending webhooks, watching transfers. */
export class Workers {
  #transfers: TransferWatch | undefined;
  #pools: Partial<Record<PoolName, WorkerPool>> = {};

  /** Starts all workers, which continue what an earlier run left. */
  async start(container: Container, origin: () => string): Promise<void> {
    const { db, log, chain, clock, faults, settings, runtime, storage, targets } = container;
    const onDeliveries = () => this.wake('webhooks');
    const outcomes = new OutcomeWriter({
      db,
      origin,
      failureType: settings.webhookFailureType,
      onDeliveries,
    });
    this.#pools = {
      webhooks: startWebhookSender({
        db,
        targets,
        faults,
        clock,
        log,
        settings,
        paused: () => runtime.webhooksPaused,
        shape: () => runtime.deliveryShape,
      }),
      hasher: startHasher({
        db,
        storage,
        faults,
        clock,
        log,
        hashLimitBytes: settings.hashLimitBytes,
        delayMs: () => runtime.hashDelayMs,
      }),
      collections: startCollectionMaker({
        db,
        chain,
        log,
        onSettled: () => {
          onDeliveries();
          this.wake('minter');
        },
      }),
      minter: await startMinter({
        db,
        chain,
        outcomes,
        faults,
        tellsRetries: () => runtime.webhooksOfRetries,
        log,
      }),
    };
    this.#transfers = watchTransfers({ db, chain, log, onDeliveries });
  }

  /** Makes one kind of worker look for items at once. No effect before `start`, which looks anyway. */
  wake(name: PoolName): void {
    this.#pools[name]?.wake();
  }

  wakeAll(): void {
    for (const pool of Object.values(this.#pools)) pool.wake();
  }

  async stop(): Promise<void> {
    await this.#transfers?.stop();
    await Promise.all(Object.values(this.#pools).map((pool) => pool.stop()));
  }
}
