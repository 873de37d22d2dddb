import type { Parts } from './container.ts';
import type { Workers } from './lib/worker-pool.ts';
import { startCollectionMaker } from './minting/collection-maker.ts';
import { startMinter } from './minting/minter.ts';
import { Settler } from './minting/settler.ts';
import { startHasher } from './storage/hasher.ts';
import { startWebhookSender } from './webhooks/sender.ts';
import { type TransferWatch, watchTransfers } from './webhooks/transfer-watch.ts';

/** The background work: hashing files, mining, sending webhooks, watching transfers. */
export class Workforce {
  #transfers: TransferWatch | undefined;
  #workers: { [name in 'hasher' | 'minter' | 'collections' | 'webhooks']?: Workers } = {};

  /** Starts all workers, which continue what an earlier run left. */
  async start(parts: Parts, origin: () => string): Promise<void> {
    const { db, log, chain, clock, faults, settings, runtime, storage, targets } = parts;
    const onDeliveries = () => this.wake('webhooks');
    const settler = new Settler({
      db,
      origin,
      failureType: settings.webhookFailureType,
      onDeliveries,
    });
    this.#workers = {
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
      collections: startCollectionMaker({ db, chain, log, onDeliveries }),
      minter: await startMinter({ db, chain, settler, faults, log }),
    };
    this.#transfers = watchTransfers({ db, chain, log, onDeliveries });
  }

  /** Makes one kind of worker look for items at once. No effect before `start`, which looks anyway. */
  wake(name: 'hasher' | 'minter' | 'collections' | 'webhooks'): void {
    this.#workers[name]?.wake();
  }

  wakeAll(): void {
    for (const workers of Object.values(this.#workers)) workers.wake();
  }

  async stop(): Promise<void> {
    await this.#transfers?.stop();
    await Promise.all(Object.values(this.#workers).map((workers) => workers.stop()));
  }
}
