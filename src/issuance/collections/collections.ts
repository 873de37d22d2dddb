import type { Credentials } from '../../clients/commerce/commerce.ts';
import type { CheckedInput, CollectionInput } from './check-input.ts';
import { createCollection } from './create.ts';
import type { CollectionCreationRow, CollectionDeps } from './creation.ts';
import { CollectionReads } from './reads.ts';
import { collectionWorker } from './worker.ts';

export type { CheckedInput, CollectionInput };

/** How late a caller gets the service's answer when a wake-up was lost. */
const pollMs = 1_000;

/** Creates collections. This is the part of the folder that other folders use. */
export class Collections {
  readonly #deps: CollectionDeps;
  readonly #worker: ReturnType<typeof collectionWorker>;
  readonly reads: CollectionReads;

  constructor(deps: CollectionDeps) {
    this.#deps = deps;
    this.#worker = collectionWorker(deps);
    this.reads = new CollectionReads(deps.db);
  }

  start(): Promise<void> {
    return this.#worker.start();
  }

  stop(): Promise<void> {
    return this.#worker.stop(this.#deps.timeouts.drain);
  }

  /**
   * Stores the creation and waits for the service's answer. When none comes in time it returns the creation
   * as it is, and the worker carries it on.
   * @throws GatewayError when the input is refused; nothing was stored then.
   */
  async create(
    credentials: Credentials,
    input: CollectionInput,
    signal: AbortSignal,
  ): Promise<CollectionCreationRow> {
    const row = await createCollection(this.#deps, credentials, input);
    return isAnswered(row) ? row : this.#answered(row, signal);
  }

  async #answered(row: CollectionCreationRow, left: AbortSignal): Promise<CollectionCreationRow> {
    // Stop at 80 % of the request time-out: the result must still reach the caller within it.
    const enough = AbortSignal.timeout(this.#deps.timeouts.request * 0.8);
    const signal = AbortSignal.any([left, enough]);
    let now = row;
    for await (const _ of this.#deps.signals.ticks('collection', row.id, signal, pollMs)) {
      now = (await this.reads.byId(row.issuer, row.id)) ?? now;
      if (isAnswered(now)) break;
    }
    return now;
  }
}

/**
 * Whether there is a result to return. A first lost answer is one, because the next may be long in coming.
 */
const isAnswered = ({ status, last_fault }: CollectionCreationRow): boolean =>
  status !== 'PENDING' || last_fault !== null;
