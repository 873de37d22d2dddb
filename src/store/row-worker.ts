import { randomUUID } from 'node:crypto';
import { runDetached, runWith, type WorkContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { backoff, withTimeout } from '@srr-gateway/common/time';
import type { RawBuilder } from 'kysely';
import { GatewayError } from '../model/errors.ts';
import {
  type Claim,
  claimDue,
  type DueRow,
  type DueTable,
  endAllLeases,
  type LeasedRow,
  LeaseLost,
  readLeased,
  releaseLease,
  renewLease,
} from './due-rows.ts';
import { Signals } from './signals.ts';
import type { Db } from './tables.ts';

/** What comes after a step: the next one at once, nothing more, or the next one in `afterMs`. */
export type StepResult = 'again' | 'final' | { afterMs: number; attempts?: number };

/** A row while its lease is held. */
export interface Leased<T extends DueTable> {
  row: LeasedRow<T>;
  /** Unique id of this lease: a step that outlives its lease must not mistake the next one for its own. */
  owner: string;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

export interface RowWorkerOptions<T extends DueTable> {
  db: Db;
  signals: Pick<Signals, 'on'>;
  log: Logger;
  table: T;
  /** Whether no other process can use this database. */
  alone: boolean;
  /** Rows under way at once. */
  concurrency: number;
  /** Rows of one issuer at once, so that those of other issuers do not wait behind them. */
  perIssuer: number;
  /** One step. It must check the lease in each of its transactions. */
  step(leased: Leased<T>): Promise<StepResult>;
  /** Context for log lines and traces of the row. */
  context(row: DueRow<T>): WorkContext;
  /** SQL condition: news came since the row was claimed, so it is due at once. */
  hinted?(claimed: LeasedRow<T>): RawBuilder<boolean>;
  checkpoint(name: 'leased' | 'released', id: string): void;
}

/**
 * Poll interval for due rows without a wake-up: those of a dead replica, or after a lost signal. An idle poll
 * is one small query.
 */
const sweepMs = 2_000;
/**
 * Time without a successful poll until the worker counts as dead. A short outage of the database must not
 * take the replica out of service.
 */
const aliveMs = 30_000;
/** Three renewals in a lease, so that one may fail. */
const renewMs = 3_000;
/** Pauses after an unexpected error. They grow; the worker never gives up. */
const faultMs = { firstMs: 1_000, maxMs: 60_000 };
/** Time for an aborted step to give its lease back. */
const abortMs = 2_000;

/** The last poll of each database. */
const polls = new WeakMap<Db, Promise<unknown>>();

/** Lets the workers of this process poll in turn, so that together they need one connection at rest. */
function inTurn<T>(db: Db, poll: () => Promise<T>): Promise<T> {
  const turn = (polls.get(db) ?? Promise.resolve()).then(poll, poll);
  polls.set(db, turn);
  return turn;
}

/** Claims and processes the due rows of a table, also those whose replica died. */
export class RowWorker<T extends DueTable> {
  readonly #options: RowWorkerOptions<T>;
  readonly #outage: OutageLog;
  readonly #stopping = new AbortController();
  /** The steps under way, each with its issuer. */
  readonly #running = new Map<Promise<void>, string>();
  #polling: Promise<void> | undefined;
  #wakePending = false;
  #stopped = false;
  #polledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = () => {};

  constructor(options: RowWorkerOptions<T>) {
    this.#options = options;
    const { log, table } = options;
    this.#outage = new OutageLog(log.child({ table }), 'polling for due work failed');
  }

  async start(): Promise<void> {
    const { db, signals, table, alone } = this.#options;
    if (alone) await endAllLeases(db, table);
    this.#unsubscribe = signals.on('due', table, () => this.#wake());
    this.#wake();
    await this.#polling;
  }

  /** Whether the last successful poll is recent. */
  alive(): boolean {
    return performance.now() - this.#polledAt < aliveMs;
  }

  /** Lets running steps end within `drainMs`, then aborts them and gives their leases back. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await withTimeout(this.#idle(), drainMs);
    this.#stopping.abort(new LeaseLost());
    // A step that still hangs, because the database does not answer, keeps its lease until it expires.
    if (!(await withTimeout(this.#idle(), abortMs)))
      this.#options.log.warn('a step did not end in time; another worker resumes it when its lease expires');
  }

  async #idle(): Promise<true> {
    await this.#polling;
    await Promise.all(this.#running.keys());
    return true;
  }

  /** Polls, because a row may be due or a slot free. Wake-ups during a poll cause one more. */
  #wake(): void {
    this.#wakePending = true;
    if (this.#stopped) return;
    this.#polling ??= runDetached(() => this.#poll()).finally(() => {
      this.#polling = undefined;
      if (this.#wakePending) this.#wake();
    });
  }

  async #poll(): Promise<void> {
    while (this.#wakePending && !this.#stopped) {
      this.#wakePending = false;
      let pauseMs = sweepMs;
      try {
        pauseMs = await this.#claimAll();
        this.#polledAt = performance.now();
        this.#outage.succeeded();
      } catch (error) {
        this.#outage.failed(error);
      }
      clearTimeout(this.#timer);
      if (!this.#stopped) this.#timer = setTimeout(() => this.#wake(), pauseMs);
    }
  }

  /** Claims due rows while there are free slots. Returns in how many milliseconds to poll again. */
  async #claimAll(): Promise<number> {
    const { db, concurrency } = this.#options;
    while (this.#running.size < concurrency && !this.#stopped) {
      const { row, dueMs } = await inTurn(db, () => this.#claim());
      if (dueMs !== 0) return Math.min(sweepMs, dueMs ?? sweepMs);
      if (!row) break;
    }
    return sweepMs;
  }

  /** How many rows of each issuer are under way. */
  #held(): Record<string, number> {
    const held: Record<string, number> = {};
    for (const issuer of this.#running.values()) held[issuer] = (held[issuer] ?? 0) + 1;
    return held;
  }

  /** Claims one due row. One at a time, so that each counts for its issuer when the next is chosen. */
  async #claim(): Promise<Claim<T>> {
    const { db, log, table, concurrency, perIssuer, context } = this.#options;
    const owner = randomUUID();
    const claim = await claimDue(db, table, owner, this.#held(), perIssuer);
    const { row } = claim;
    if (!row) return claim;
    const running = runWith(context(row), () => this.#process(row, owner))
      .catch((err: unknown) =>
        log.warn({ err }, 'a row could not be processed; it is tried again when its lease expires'),
      )
      .then((dueMs) => {
        // Other rows may have waited for this slot. The next poll finds rows that are due later.
        const held = this.#held()[row.issuer] ?? 0;
        const wasFull = this.#running.size >= concurrency || held >= perIssuer;
        this.#running.delete(running);
        if (wasFull || (dueMs ?? sweepMs) < sweepMs) this.#wake();
      });
    this.#running.set(running, row.issuer);
    return claim;
  }

  /** Returns the milliseconds until the row is due again; undefined: never, or another worker has it now. */
  async #process(row: LeasedRow<T>, owner: string): Promise<number | undefined> {
    const { db, table, hinted, checkpoint } = this.#options;
    checkpoint('leased', row.id);
    const next = await this.#advance(row, owner);
    const dueMs =
      next &&
      (await releaseLease(db, table, { id: row.id, owner }, next === 'final' ? {} : next, hinted?.(row)));
    checkpoint('released', row.id);
    // Let another replica resume the interrupted row at once.
    if (this.#stopping.signal.aborted) await Signals.send(db, 'due', table);
    return dueMs;
  }

  /** Runs step after step until the row is final or has to wait; undefined when the lease is lost. */
  async #advance(row: LeasedRow<T>, owner: string): Promise<Exclude<StepResult, 'again'> | undefined> {
    const { db, log, table, step } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
    const renewal = setInterval(async () => {
      // Ignore an error: the database may be back before the lease ends, and each write checks the lease.
      const held = await renewLease(db, table, row.id, owner).catch(() => true);
      if (!held) lost.abort(new LeaseLost());
    }, renewMs);
    try {
      for (let current: LeasedRow<T> | undefined = row; current; ) {
        signal.throwIfAborted();
        const next = await step({ row: current, owner, signal });
        if (next !== 'again') return next;
        current = await readLeased(db, table, row.id, owner);
      }
      // The row was settled, which ended its lease.
      return undefined;
    } catch (error) {
      if (this.#stopping.signal.aborted) return { afterMs: 0, attempts: row.attempts };
      if (error instanceof LeaseLost || lost.signal.aborted) return undefined;
      const attempts = row.attempts + 1;
      const code = error instanceof GatewayError ? error.code : undefined;
      log.warn({ err: error, code }, 'a step failed');
      return { afterMs: backoff(attempts, faultMs), attempts };
    } finally {
      clearInterval(renewal);
    }
  }
}
