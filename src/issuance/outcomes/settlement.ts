import type { Address } from '@srr-gateway/common/address';
import { sql } from 'kysely';
import { type EntryKey, entryKeyText } from '../../model/entry-key.ts';
import { appendEvents } from '../../store/append-events.ts';
import { now } from '../../store/database-time.ts';
import { Signals } from '../../store/signals.ts';
import type { Db } from '../../store/store.ts';
import { type BatchKey, markAccepted, watchBatch } from '../batch-state.ts';
import { decisionStateOf, type EntryState } from '../entry-state.ts';
import type { IssuanceRow } from '../flow.ts';
import { addAllToHistory, afterOutcomes, transition } from '../transition.ts';
import { releaseHeld } from './held-deliveries.ts';
import { linkEvents, type Outcome, outcomeEvent, writeOutcomes } from './outcomes.ts';

const batchOf = ({ issuanceId, batch }: EntryState): BatchKey => ({ issuance_id: issuanceId, index: batch });
const batchText = ({ issuance_id, index }: BatchKey) => `${issuance_id}/${index}`;

/**
 * Collects one transaction's changes to the entries of an issuer, then writes them in a few statements, and each
 * issuance once. The caller holds the lock of the issuer's log.
 */
export class Settlement {
  readonly #trx: Db;
  readonly #issuer: Address;
  readonly #watchMs: number;
  readonly #issuances: IssuanceRow[];
  readonly #outcomes = new Map<string, [EntryState, Outcome]>();
  readonly #accepted = new Map<string, BatchKey>();
  readonly #watched = new Map<string, BatchKey>();
  readonly #asked = new Set<string>();
  readonly #history = new Map<string, Set<string>>();
  #published = new Set<string>();

  /** @param issuances The rows of all issuances concerned, which the caller has locked. */
  constructor(trx: Db, issuer: Address, watchMs: number, issuances: IssuanceRow[]) {
    this.#trx = trx;
    this.#issuer = issuer;
    this.#watchMs = watchMs;
    this.#issuances = issuances;
  }

  /** Sets the outcome of an entry, also on `entry` itself, so that later events of the same transaction see it. */
  settle(entry: EntryState, outcome: Outcome): void {
    entry.status = outcome.status;
    entry.tokenId ??= outcome.tokenId;
    this.#outcomes.set(entryKeyText(entry), [entry, outcome]);
    if (outcome.status === 'FAILED' && outcome.source === 'WEBHOOK') this.#watch(batchOf(entry));
  }

  /** Marks the entry's batch as accepted. Requests are atomic, so one minted record proves it. */
  accept(entry: EntryState): void {
    if (entry.batchStatus === 'ACCEPTED') return;
    entry.batchStatus = 'ACCEPTED';
    this.acceptBatch(batchOf(entry));
  }

  /** Updates entries whose request another entry has proved accepted. */
  refresh(entries: EntryState[]): EntryState[] {
    for (const entry of entries)
      if (this.#accepted.has(batchText(batchOf(entry)))) entry.batchStatus = 'ACCEPTED';
    return entries;
  }

  acceptBatch(batch: BatchKey): void {
    this.#accepted.set(batchText(batch), batch);
  }

  #watch(batch: BatchKey): void {
    this.#watched.set(batchText(batch), batch);
  }

  /**
   * Schedules a query of the subgraph: for a failed or refused entry in `watch-failed.ts`, else in the
   * issuance's next step.
   */
  askSubgraph(entry: EntryState): void {
    const state = decisionStateOf(entry);
    if (state === 'FAILED' || state === 'REFUSED') this.#watch(batchOf(entry));
    else this.#asked.add(entry.issuanceId);
  }

  addToHistory({ issuanceId }: EntryState, reason: string): void {
    const reasons = this.#history.get(issuanceId) ?? new Set();
    this.#history.set(issuanceId, reasons.add(reason));
  }

  /** Whether subscribers had seen the outcome before `write`. */
  isPublished(entry: EntryKey): boolean {
    return this.#published.has(entryKeyText(entry));
  }

  /** Writes the changes, and the events of outcomes that no delivery reported. */
  async write(): Promise<void> {
    const trx = this.#trx;
    const outcomes = [...this.#outcomes.values()];
    await writeOutcomes(trx, outcomes);
    this.#published = await linkEvents(trx, this.#issuer, outcomes);
    // An outcome from a delivery is in the log already, as the delivery itself.
    const unpublished = outcomes.filter(
      ([entry, { source }]) => source !== 'WEBHOOK' && !this.isPublished(entry),
    );
    await appendEvents(
      trx,
      this.#issuer,
      unpublished.map(([entry, outcome]) => outcomeEvent(entry, outcome)),
    );
    for (const batch of this.#accepted.values()) await markAccepted(trx, batch);
    for (const batch of this.#watched.values()) await watchBatch(trx, batch, this.#watchMs);
    await this.#askSubgraphSoon();
    const settled = new Set(outcomes.map(([{ issuanceId }]) => issuanceId));
    const accepted = new Set([...this.#accepted.values()].map(({ issuance_id }) => issuance_id));
    for (const row of this.#issuances) {
      for (const batch of this.#accepted.values())
        if (batch.issuance_id === row.id)
          await releaseHeld(trx, row, batch.index, 'SOME_REQUEST_ACCEPTED', this.#watchMs);
      if (accepted.has(row.id) && row.status === 'OUTCOME_UNKNOWN')
        await transition(
          trx,
          row,
          'SUBMITTING',
          'one of its records is reported or on chain, so the request counts as accepted',
        );
      await addAllToHistory(trx, row, [...(this.#history.get(row.id) ?? [])]);
      if (settled.has(row.id) || accepted.has(row.id)) await afterOutcomes(trx, row);
    }
  }

  /** Makes the issuances due now. */
  async #askSubgraphSoon(): Promise<void> {
    if (this.#asked.size === 0) return;
    await this.#trx
      .updateTable('issuance')
      .set({
        ask_index_at: now,
        next_at: sql<Date>`least(next_at, clock_timestamp())`,
      })
      .where('id', '=', sql<string>`any(${[...this.#asked]}::uuid[])`)
      .where('next_at', 'is not', null)
      .execute();
    await Signals.send(this.#trx, 'due', 'issuance');
  }
}
