import type { Credentials } from '../commerce/commerce.ts';
import type { Address } from '../lib/address.ts';
import type { Fault } from '../lib/errors.ts';
import { note } from '../lib/tracing/trace.ts';
import { isUuid } from '../lib/uuid.ts';
import type { Db } from '../store/store.ts';
import { cancelIssuance } from './cancel.ts';
import { type CollectionCreationRow, type CollectionInput, createCollection } from './collection-creation.ts';
import { createIssuance, unstorableFaults } from './create.ts';
import { type FlowDeps, type IssuanceRow, isFinal } from './flow.ts';
import { keepHouse } from './housekeeping.ts';
import type { EntryInput, IssueInput } from './input.ts';
import type { EventRow } from './match-events.ts';
import { preflight } from './preflight/preflight.ts';
import { IssuanceReads } from './read.ts';
import { settle } from './settle.ts';
import { IssuanceWorker } from './worker.ts';

/** What the floors above see of the flow. */
export class Issuances {
  readonly #deps: FlowDeps;
  readonly reads: IssuanceReads;
  readonly #worker: IssuanceWorker;
  #housekeeping: { stop(): Promise<void> } | undefined;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    this.reads = new IssuanceReads(deps.db);
    this.#worker = new IssuanceWorker(deps);
  }

  /** Takes up what is under way in the store, and what comes. */
  async start(): Promise<void> {
    await this.#worker.start();
    this.#housekeeping = keepHouse(this.#deps);
  }

  /** Whether work is still looked for. */
  alive(): boolean {
    return this.#worker.alive();
  }

  /** Lets running steps end within their limit, and leaves the rest to whoever starts next. */
  async stop(): Promise<void> {
    await Promise.all([this.#worker.stop(), this.#housekeeping?.stop()]);
  }

  async create(credentials: Credentials, input: IssueInput, signal?: AbortSignal): Promise<IssuanceRow> {
    const row = await createIssuance(this.#deps, credentials, input, signal);
    note({ 'srr.issuance.id': row.id });
    return row;
  }

  cancel(issuer: Address, id: string): Promise<IssuanceRow> {
    return cancelIssuance(this.#deps, issuer, id);
  }

  /** The faults that `create` would refuse the entries for; nothing is stored or sent. */
  async validate(issuer: Address, entries: EntryInput[]): Promise<Fault[]> {
    const faults = unstorableFaults(entries);
    return faults.length > 0 ? faults : preflight(this.#deps, issuer, entries);
  }

  createCollection(
    credentials: Credentials,
    input: CollectionInput,
    signal?: AbortSignal,
  ): Promise<CollectionCreationRow> {
    return createCollection(this.#deps, credentials, input, signal);
  }

  /** To be called with newly stored events of an issuer, inside the transaction that stores them. */
  settle(trx: Db, issuer: Address, events: EventRow[]): Promise<void> {
    return settle(trx, issuer, events);
  }

  /** The issuance now, then after each change, until a final status was seen or `signal` aborts. */
  async *changes(issuer: Address, id: string, signal: AbortSignal): AsyncGenerator<IssuanceRow> {
    // No issuance has another kind of id.
    if (!isUuid(id)) return;
    let seen = -1;
    for await (const _ of this.#deps.signals.ticks('issuance', id, signal, pollMs)) {
      const [row] = await this.reads.byIds(issuer, [id]);
      if (!row) return;
      if (row.version !== seen) yield row;
      if (isFinal(row.status)) return;
      seen = row.version;
    }
  }
}

/** What a lost wake-up can cost a subscriber. */
const pollMs = 5_000;
