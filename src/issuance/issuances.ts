import type { Address } from '@srr-gateway/common/address';
import type { Credentials } from '../clients/commerce/commerce.ts';
import { isUuid } from '../model/uuid.ts';
import { addAttributes } from '../observability/trace.ts';
import { applyDeliveries } from './apply-deliveries.ts';
import { Collections } from './collections/collections.ts';
import { type FlowDeps, type IssuanceRow, isFinal } from './flow.ts';
import type { EntryInput, IssueInput } from './input.ts';
import { startMaintenance } from './maintenance.ts';
import { type DryRunReport, dryRun } from './preflight/preflight.ts';
import { IssuanceReads } from './read.ts';
import { waitUntilIndexed } from './recover/wait-until-indexed.ts';
import { cancelIssuance } from './submit/cancel.ts';
import { createIssuance, jsonbFaults } from './submit/create.ts';
import { issuanceWorker } from './worker.ts';

/** Poll interval in case a wake-up is lost: subscribers see a change this late at most. */
const pollMs = 5_000;

/** Issues records. The public class of this folder. */
export class Issuances {
  readonly #deps: FlowDeps;
  readonly reads: IssuanceReads;
  readonly collections: Collections;
  /** Applies new deliveries of an issuer to its entries, in the transaction that stores them. */
  readonly applyDeliveries: ReturnType<typeof applyDeliveries>;
  readonly #worker: ReturnType<typeof issuanceWorker>;
  #maintenance: { stop(): Promise<void> } | undefined;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
    this.reads = new IssuanceReads(deps);
    this.collections = new Collections(deps);
    this.applyDeliveries = applyDeliveries(deps.timeouts.failureWatch);
    this.#worker = issuanceWorker(deps);
  }

  /** Starts the workers, which also resume what earlier processes left unfinished. */
  async start(): Promise<void> {
    await this.#worker.start();
    await this.collections.start();
    this.#maintenance = startMaintenance(this.#deps);
  }

  /** Whether the worker still looks for work. */
  alive(): boolean {
    return this.#worker.alive();
  }

  /** Waits up to the drain time-out for running steps. The next process resumes the rest. */
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

  /** Dry run: reports faults and warnings of the entries. Stores and issues nothing. */
  async validate(
    credentials: Credentials,
    entries: EntryInput[],
    signal?: AbortSignal,
  ): Promise<DryRunReport> {
    const faults = jsonbFaults(entries);
    return faults.length > 0 ? { faults, warnings: [] } : dryRun(this.#deps, credentials, entries, signal);
  }

  /**
   * Yields the issuance now and after each change, until its status is final or `signal` aborts. With
   * `untilIndexed` it is yielded once more when the subgraph has its issued records, or after `indexWait`.
   */
  async *changes(
    issuer: Address,
    id: string,
    signal: AbortSignal,
    { untilIndexed = false } = {},
  ): AsyncGenerator<IssuanceRow> {
    // Only a UUID can be the id of an issuance.
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
