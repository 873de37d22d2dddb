import { randomUUID } from 'node:crypto';
import { runDetached, runWith, type WorkContext } from '@srr-gateway/common/async-context';
import type { Logger } from '@srr-gateway/common/log';
import { backoff, withTimeout } from '@srr-gateway/common/time';
import type { RawBuilder } from 'kysely';
import { GatewayError } from '../model/errors.ts';
import {
  claimDue,
  type DueRow,
  type DueTable,
  endAllLeases,
  LeaseLost,
  readLeased,
  releaseLease,
  renewLease,
  untilNextDue,
} from './due-rows.ts';
import { Signals } from './signals.ts';
import type { Db } from './tables.ts';

/** What follows a step: the next at once, nothing any more, or a look in `afterMs`. */
export type StepResult = 'again' | 'final' | { afterMs: number; attempts?: number };

/** A row while its lease is held. */
export interface Leased<T extends DueTable> {
  row: DueRow<T>;
  /** Names this one lease: a step that outlives its lease must not take the next for its own. */
  owner: string;
  /** Aborted when the lease is lost or the process stops. */
  signal: AbortSignal;
}

export interface RowWorkerOptions<T extends DueTable> {
  db: Db;
  signals: Pick<Signals, 'on'>;
  log: Logger;
  table: T;
  /** Whether no other process can work on this database. */
  alone: boolean;
  /** The most rows at once. Mostly they wait for the service. */
  places: number;
  /** The most rows of one issuer at once, so that another's does not wait behind all of them. */
  perIssuer: number;
  /** One step. It must check the lease in each of its transactions. */
  step(leased: Leased<T>): Promise<StepResult>;
  /** What log lines and traces of the row say that they are about. */
  context(row: DueRow<T>): WorkContext;
  /** SQL: something came during the step, so that the row is due at once. */
  hinted?: RawBuilder<boolean>;
  checkpoint(name: 'leased' | 'released', id: string): void;
}

/**
 * The longest time until due work is found without a wake-up: that of a dead replica, or of a lost signal.
 * A look that finds nothing is one small query.
 */
const sweepMs = 2_000;
/** A database that was away for a moment is no reason to send callers to another replica. */
const aliveMs = 30_000;
/** Three times in a lease, so that one renewal may fail. */
const renewMs = 3_000;
/** Pauses after an unexpected error. They grow, and nothing is given up. */
export const faultMs = { firstMs: 1_000, maxMs: 60_000 };
/** Time for an aborted step to give its lease back. */
const abortMs = 2_000;

/** Works on the rows of a table that are due, those of replicas that died included. */
export class RowWorker<T extends DueTable> {
  readonly #options: RowWorkerOptions<T>;
  readonly #stopping = new AbortController();
  /** The work under way, and whose it is. */
  readonly #running = new Map<Promise<void>, string>();
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #lookedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = () => {};

  constructor(options: RowWorkerOptions<T>) {
    this.#options = options;
  }

  /** Takes up what is due, and what comes. */
  async start(): Promise<void> {
    const { db, signals, table, alone } = this.#options;
    if (alone) await endAllLeases(db, table);
    this.#unsubscribe = signals.on('due', table, () => this.#wake());
    this.#wake();
    await this.#looking;
  }

  /** Whether the last look is recent. */
  alive(): boolean {
    return Date.now() - this.#lookedAt < aliveMs;
  }

  /** Lets running steps end within `drainMs`, then aborts them and gives their leases back. */
  async stop(drainMs: number): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await withTimeout(this.#idle(), drainMs);
    this.#stopping.abort(new LeaseLost());
    // A step that hangs even so (the database does not answer) keeps its lease, which expires.
    if (!(await withTimeout(this.#idle(), abortMs)))
      this.#options.log.warn('a step did not end in time; it will be taken up again');
  }

  async #idle(): Promise<true> {
    await this.#looking;
    await Promise.all(this.#running.keys());
    return true;
  }

  /** Looks for work: a row may be due, or a place free. Wake-ups during a look cause one more. */
  #wake(): void {
    this.#again = true;
    if (this.#stopped) return;
    this.#looking ??= runDetached(() => this.#look()).finally(() => {
      this.#looking = undefined;
      if (this.#again) this.#wake();
    });
  }

  async #look(): Promise<void> {
    const { db, log, table, places } = this.#options;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      let pauseMs = sweepMs;
      try {
        while (this.#running.size < places && !this.#stopped) {
          // Cheaper than a claim that finds nothing, and most looks find nothing more.
          const dueMs = await untilNextDue(db, table, this.#issuersAtLimit());
          if (dueMs !== 0) pauseMs = Math.min(sweepMs, dueMs ?? sweepMs);
          if (dueMs !== 0 || !(await this.#claim())) break;
        }
        this.#lookedAt = Date.now();
      } catch (error) {
        log.warn({ err: error, table }, 'looking for due work failed');
      }
      clearTimeout(this.#timer);
      if (!this.#stopped) this.#timer = setTimeout(() => this.#wake(), pauseMs);
    }
  }

  /** How many rows of each issuer are under way. */
  #held(): Record<string, number> {
    const held: Record<string, number> = {};
    for (const issuer of this.#running.values()) held[issuer] = (held[issuer] ?? 0) + 1;
    return held;
  }

  #issuersAtLimit(): string[] {
    const held = this.#held();
    return Object.keys(held).filter((issuer) => (held[issuer] ?? 0) >= this.#options.perIssuer);
  }

  /** Begins the next due row, one at a time: each counts for its issuer when the next is chosen. */
  async #claim(): Promise<boolean> {
    const { db, log, table, places, perIssuer, context } = this.#options;
    const owner = randomUUID();
    const row = await claimDue(db, table, owner, this.#held(), perIssuer);
    if (!row) return false;
    const running = runWith(context(row), () => this.#carry(row, owner))
      .catch((err: unknown) => log.warn({ err }, 'work could not be carried on; it will be looked at again'))
      .then((dueMs) => {
        // Rows may have waited for this place. What is due later is found by the sweep.
        const isAwaited = this.#running.size >= places || this.#issuersAtLimit().includes(row.issuer);
        this.#running.delete(running);
        if (isAwaited || (dueMs ?? sweepMs) < sweepMs) this.#wake();
      });
    this.#running.set(running, row.issuer);
    return true;
  }

  /** Returns the milliseconds until the row is due again; undefined: never, or another worker has it now. */
  async #carry(row: DueRow<T>, owner: string): Promise<number | undefined> {
    const { db, table, hinted, checkpoint } = this.#options;
    checkpoint('leased', row.id);
    const next = await this.#advance(row, owner);
    const dueMs =
      next && (await releaseLease(db, table, { id: row.id, owner }, next === 'final' ? {} : next, hinted));
    checkpoint('released', row.id);
    // Another replica takes over at once what a stop has cut short.
    if (this.#stopping.signal.aborted) await Signals.send(db, 'due', table);
    return dueMs;
  }

  /** Takes the row from step to step, until it is final or has to wait; undefined when the lease is gone. */
  async #advance(row: DueRow<T>, owner: string): Promise<Exclude<StepResult, 'again'> | undefined> {
    const { db, log, table, step } = this.#options;
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
    const renewal = setInterval(async () => {
      // The database may be back before the lease ends. Every write checks the lease, so go on without it.
      const held = await renewLease(db, table, row.id, owner).catch(() => true);
      if (!held) lost.abort(new LeaseLost());
    }, renewMs);
    try {
      for (let current: DueRow<T> | undefined = row; current; ) {
        signal.throwIfAborted();
        const next = await step({ row: current, owner, signal });
        if (next !== 'again') return next;
        current = await readLeased(db, table, row.id, owner);
      }
      // It was settled, which ends the lease.
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
