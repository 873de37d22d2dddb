import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import { isUuid } from '../model/uuid.ts';
import { addAttributes } from '../observability/trace.ts';
import type { NewEvent } from '../store/append-events.ts';
import type { Db } from '../store/store.ts';
import { Collections } from './collections/collections.ts';
import { type FlowDeps, type IssuanceRow, isFinal } from './flow.ts';
import type { EntryInput, IssueInput } from './input.ts';
import { judgeDeliveries } from './judge.ts';
import { startMaintenance } from './maintenance.ts';
import { dryRun, type Report } from './preflight/preflight.ts';
import { IssuanceReads } from './read.ts';
import { waitUntilIndexed } from './recover/wait-until-indexed.ts';
import { cancelIssuance } from './submit/cancel.ts';
import { createIssuance, jsonbFaults } from './submit/create.ts';
import { issuanceWorker } from './worker.ts';

/** Issues records. This is the part of the folder that other folders use. */
export class Issuances {
  readonly #deps: FlowDeps;
  readonly reads: IssuanceReads;
  readonly collections: Collections;
  readonly #worker: ReturnType<typeof issuanceWorker>;
  #maintenance: { stop(): Promise<void> } | undefined;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    this.reads = new IssuanceReads(deps);
    this.collections = new Collections(deps);
    this.#worker = issuanceWorker(deps);
  }

  /** Takes up what is under way in the database, and what comes. */
  async start(): Promise<void> {
    await this.#worker.start();
    await this.collections.start();
    this.#maintenance = startMaintenance(this.#deps);
  }

  /** Whether the worker still looks for work. */
  alive(): boolean {
    return this.#worker.alive();
  }

  /**
   * Lets running steps end within the drain time-out, and leaves the rest to the process that starts next.
   */
  async stop(): Promise<void> {
    await Promise.all([
      this.#worker.stop(this.#deps.timeouts.drain),
      this.collections.stop(),
      this.#maintenance?.stop(),
    ]);
  }

  async create(credentials: Credentials, input: IssueInput, signal?: AbortSignal): Promise<IssuanceRow> {
    const row = await createIssuance(this.#deps, credentials, input, signal);
    addAttributes({ 'srr.issuance.id': row.id });
    return row;
  }

  cancel(issuer: Address, id: string): Promise<IssuanceRow> {
    return cancelIssuance(this.#deps, issuer, id);
  }

  /** Reports what would become of the entries, as far as it can be known. Stores and issues nothing. */
  async validate(credentials: Credentials, entries: EntryInput[], signal?: AbortSignal): Promise<Report> {
    const faults = jsonbFaults(entries);
    return faults.length > 0 ? { faults, warnings: [] } : dryRun(this.#deps, credentials, entries, signal);
  }

  /** Settles what new deliveries of an issuer are about, in the transaction that stores them. */
  judge(trx: Db, issuer: Address, events: NewEvent[]): Promise<NewEvent[]> {
    return judgeDeliveries(this.#deps.timeouts.failureWatch)(trx, issuer, events);
  }

  /**
   * Yields the issuance now and after each change, until its status is final or `signal` aborts. With
   * `untilIndexed` it is yielded once more when the subgraph has its issued records, or has been waited for.
   */
  async *changes(
    issuer: Address,
    id: string,
    signal: AbortSignal,
    { untilIndexed = false } = {},
  ): AsyncGenerator<IssuanceRow> {
    // Every issuance has a UUID as its id.
    if (!isUuid(id)) return;
    let seen = -1;
    for await (const _ of this.#deps.signals.ticks('issuance', id, signal, pollMs)) {
      const [row] = await this.reads.byIds(issuer, [id]);
      if (!row) return;
      if (row.version !== seen) yield row;
      if (isFinal(row.status)) break;
      seen = row.version;
    }
    if (!untilIndexed || signal.aborted) return;
    if (!(await waitUntilIndexed(this.#deps, { id, issuer }, signal))) return;
    const [last] = await this.reads.byIds(issuer, [id]);
    if (last && !signal.aborted) yield last;
  }
}

/** How late a subscriber sees a change when a wake-up was lost. */
const pollMs = 5_000;
