import { IdempotencyConflictError, type Issuing, NotFoundError } from '@srr-gateway/client';
import { isRefusal } from '../lib/exit-codes.ts';
import type { Session } from '../lib/session.ts';
import { type Draft, filesOf } from '../manifest/draft.ts';
import { type Batch, batchesOf, entryOf, type FileRefs, requestIdOf } from './batch.ts';
import { faultsOf } from './check.ts';
import { differenceOf, type EarlierEntry, earlierEntries } from './earlier-entries.ts';
import type { IssueReport } from './report.ts';
import { FileRefusedError, FileUploads, forEachConcurrent, maxConcurrentUploads } from './upload-files.ts';

export interface IssueWork {
  session: Session;
  report: IssueReport;
  drafts: readonly Draft[];
  batchSize: number;
  /** Whether batches that were rejected or cancelled are sent once more. */
  retry: boolean;
  onUploaded(files: number): void;
  onIssued(records: number): void;
  onRefused(batch: Batch, reason: string): void;
}

/** Issues all records, and returns when each has its outcome in the report. */
export async function issueManifest(work: IssueWork): Promise<void> {
  await new Run(work).all();
}

class Run {
  readonly #work: IssueWork;
  readonly #files: FileUploads;
  readonly #signal: AbortSignal;
  /** Aborts the other batches when one fails for a reason that concerns all. */
  readonly #abort = new AbortController();
  /** How many records are issued, by batch: several batches can be parts of one issuance. */
  readonly #issued = new Map<Batch, number>();

  constructor(work: IssueWork) {
    this.#work = work;
    this.#signal = AbortSignal.any([work.session.signal, this.#abort.signal]);
    this.#files = new FileUploads(work.session.client, this.#signal, work.onUploaded);
  }

  async all(): Promise<void> {
    const { drafts, batchSize } = this.#work;
    const outcomes: Promise<unknown>[] = [];
    try {
      // Files of the next batch are uploaded while the gateway issues this one.
      for (const batch of batchesOf(drafts, batchSize)) {
        const { outcome } = await this.#start(batch);
        outcome.catch((error) => this.#abort.abort(error));
        outcomes.push(outcome);
      }
      await Promise.all(outcomes);
    } catch (error) {
      this.#abort.abort(error);
      await Promise.allSettled(outcomes);
      throw error;
    }
  }

  /**
   * Sends a batch, or finds the issuance of an earlier run. The outcome takes long, so it is a promise in the result.
   */
  async #start(batch: Batch): Promise<{ outcome: Promise<unknown> }> {
    const { client } = this.#work.session;
    const session = { ...this.#work.session, signal: this.#signal };
    const [earlier, faults] = await Promise.all([earlierEntries(session, batch), faultsOf(session, batch)]);
    // Report these faults before the upload, which may take an hour. With earlier entries the check would fail on their
    // externalIds alone.
    if (earlier.size === 0 && faults.length > 0) {
      this.#work.onRefused(batch, this.#work.report.refuse(batch, null, faults));
      return { outcome: Promise.resolve() };
    }
    const { requestId, before, isRefused } = await this.#find(batch);
    // Earlier entries that block a refused batch are parts of other issuances, such as batches of another size.
    if (before && !(isRefused && earlier.size > 0)) return { outcome: this.#follow(batch, before) };
    const uploads = await this.#files
      .of(earlier.size === 0 ? batch : [...earlier.keys()])
      .catch((error) => this.#refuseFile(error, batch, requestId));
    if (!uploads) return { outcome: Promise.resolve() };
    if (earlier.size === 0) {
      const entries = batch.map((draft) => entryOf(draft, uploads));
      const issuing = await this.#store(batch, client.issue(entries, { requestId, signal: this.#signal }));
      return { outcome: issuing ? this.#follow(batch, issuing) : Promise.resolve() };
    }
    const others = this.#followEarlier(earlier, uploads);
    // Prevents an unhandled rejection: `others` is awaited only after the rest is sent.
    others.catch(() => {});
    const rest = batch.filter((draft) => !earlier.has(draft));
    const { outcome } = rest.length > 0 ? await this.#start(rest) : { outcome: Promise.resolve() };
    return { outcome: Promise.all([others, outcome]) };
  }

  /** The newest issuance of this batch, if there is one, or the requestId for a new one. */
  async #find(batch: Batch): Promise<{ requestId: string; before?: Issuing; isRefused?: true }> {
    await forEachConcurrent(filesOf(batch), maxConcurrentUploads, async (file) => {
      this.#signal.throwIfAborted();
      await file.sha256;
    });
    const base = await requestIdOf(batch);
    let refused: { requestId: string; before: Issuing; isRefused: true } | undefined;
    for (let attempt = 1; ; attempt++) {
      const requestId = attempt === 1 ? base : `${base}-${attempt}`;
      const before = this.#work.session.client.issuance({ requestId }, { signal: this.#signal });
      const state = await before.stored.catch((error) => {
        if (!(error instanceof NotFoundError)) throw error;
      });
      if (!state) return refused && !this.#work.retry ? refused : { requestId };
      if (state.status !== 'REJECTED' && state.status !== 'CANCELLED') return { requestId, before };
      refused = { requestId, before, isRefused: true };
    }
  }

  /** Waits until the gateway has stored the batch. A refusal concerns only this batch: the others continue. */
  async #store(batch: Batch, issuing: Issuing): Promise<Issuing | undefined> {
    const { requestId } = issuing;
    try {
      await issuing.stored;
      return issuing;
    } catch (error) {
      // A killed run's call was stored after this run had looked for it, with other references to the same files.
      if (error instanceof IdempotencyConflictError)
        return this.#work.session.client.issuance({ requestId }, { signal: this.#signal });
      if (!isRefusal(error)) throw error;
      this.#work.onRefused(batch, this.#work.report.refuse(batch, requestId, error.all));
      return undefined;
    }
  }

  /** A file that the service refuses stops only its batch. */
  #refuseFile(error: unknown, batch: Batch, requestId: string): undefined {
    if (!(error instanceof FileRefusedError)) throw error;
    this.#work.onRefused(batch, this.#work.report.refuseFile(batch, requestId, error));
  }

  async #follow(batch: Batch, issuing: Issuing): Promise<void> {
    for await (const { progress } of issuing.status) {
      // The issuance of earlier entries may hold other records too.
      this.#issued.set(batch, Math.min(progress.issued, batch.length));
      this.#work.onIssued([...this.#issued.values()].reduce((sum, count) => sum + count, 0));
    }
    this.#work.report.settle(batch, await issuing.done);
  }

  /** Follows records of other issuances: from before the manifest was changed, or sent by another program. */
  async #followEarlier(earlier: ReadonlyMap<Draft, EarlierEntry>, uploads: FileRefs): Promise<void> {
    const { client } = this.#work.session;
    const issuances = new Map<string, Draft[]>();
    for (const [draft, before] of earlier) {
      const fault = differenceOf(before, entryOf(draft, uploads));
      if (fault) this.#work.report.fail(draft, before.issuance.requestId, fault);
      else issuances.set(before.issuance.id, [...(issuances.get(before.issuance.id) ?? []), draft]);
    }
    await Promise.all(
      [...issuances].map(([id, drafts]) =>
        this.#follow(drafts, client.issuance({ id }, { signal: this.#signal })),
      ),
    );
  }
}
