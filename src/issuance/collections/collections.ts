import type { Credentials } from '../../clients/commerce/commerce.ts';
import type { CollectionInput } from './check-input.ts';
import { createCollection } from './create.ts';
import type { CollectionCreationRow, CollectionDeps } from './creation.ts';
import { CollectionReads } from './reads.ts';
import { collectionWorker } from './worker.ts';

/** Poll interval in case a wake-up is lost: the caller gets the service's answer this late at most. */
const pollMs = 1_000;

/** Creates collections. The only class of this folder that others use. */
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
   * Stores the creation and waits for the service's answer. If none comes in time, returns the creation as it is; the
   * worker continues it.
   * @throws GatewayError when the input is refused and nothing was stored.
   */
  async create(
    credentials: Credentials,
    input: CollectionInput,
    signal: AbortSignal,
  ): Promise<CollectionCreationRow> {
    const row = await createCollection(this.#deps, credentials, input);
    return isAnswered(row) ? row : this.#waitForAnswer(row, signal);
  }

  async #waitForAnswer(row: CollectionCreationRow, left: AbortSignal): Promise<CollectionCreationRow> {
    // Stop at 80 % of the request time-out, so that the result still reaches the caller in time.
    const enough = AbortSignal.timeout(Math.ceil(this.#deps.timeouts.request * 0.8));
    const signal = AbortSignal.any([left, enough]);
    let latest = row;
    for await (const _ of this.#deps.signals.ticks('collection', row.id, signal, pollMs)) {
      latest = (await this.reads.byId(row.issuer, row.id)) ?? latest;
      if (isAnswered(latest)) break;
    }
    return latest;
  }
}

/** Whether there is a result to return. A lost answer is one too, because the next attempt may take long. */
const isAnswered = ({ status, last_fault }: CollectionCreationRow): boolean =>
  status !== 'PENDING' || last_fault !== null;
