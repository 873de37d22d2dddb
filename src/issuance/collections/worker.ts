import { randomUUID } from 'node:crypto';
import type { Address } from '@srr-gateway/common/address';
import { runDetached } from '@srr-gateway/common/async-context';
import { backoff, sleep } from '@srr-gateway/common/time';
import { GatewayError } from '../../model/errors.ts';
import { checkpoint } from '../checkpoint.ts';
import type { Next } from '../flow.ts';
import { endAllLeases, keepLease, LeaseLost } from '../lease.ts';
import type { CollectionCreationRow, CollectionDeps } from './creation.ts';
import { claimDue, releaseLease } from './lease.ts';
import { advance } from './steps.ts';

/**
 * Creations that one process works on at once, in all and of one issuer: others must not wait behind all of
 * one issuer's.
 */
const places = 8;
const placesOfOne = 4;
/** How often due work is looked for. A new creation wakes the worker by itself. */
const sweepMs = 1_000;
/** Time for an aborted step to give its lease back. */
const abortMs = 2_000;
/** Pauses after an unexpected error. They grow, and nothing is given up. */
const faultMs = { firstMs: 1_000, maxMs: 60_000 };

/** Works on creations that are due, those of replicas that died included. */
export class CollectionWorker {
  readonly #deps: CollectionDeps;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  readonly #running = new Map<Promise<void>, Address>();
  #looking: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(deps: CollectionDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    if (this.#deps.alone) await endAllLeases(this.#deps.db, 'collection_creation');
    this.#stopped = false;
    this.#sweeper = setInterval(() => this.wake(), sweepMs);
    this.wake();
  }

  /** Looks for work, because a creation may be due or a place free. */
  wake(): void {
    this.#again = true;
    this.#looking ??= runDetached(() => this.#look()).finally(() => {
      this.#looking = undefined;
    });
  }

  /** Lets running steps end within the drain time-out, then aborts them and gives their leases back. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#stopped = true;
    await this.#looking;
    const ended = Promise.all(this.#running.keys());
    const limit = new AbortController();
    const late = sleep(this.#deps.timeouts.drain, limit.signal).then(
      () => this.#stopping.abort(new LeaseLost()),
      () => {},
    );
    await Promise.race([ended, late]);
    limit.abort();
    // A step that hangs even so (the database does not answer) keeps its lease, which expires.
    await Promise.race([ended, sleep(abortMs)]);
  }

  async #look(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const free = places - this.#running.size;
      if (free <= 0) return;
      try {
        const busy = Map.groupBy(this.#running.values(), (issuer) => issuer);
        const full = [...busy].filter(([, all]) => all.length >= placesOfOne).map(([issuer]) => issuer);
        // Claim one at a time, so that one issuer cannot take all places in one look.
        const [row] = await claimDue(this.#deps.db, this.#owner, 1, full);
        if (row) this.#begin(row);
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'looking for due collections failed');
      }
    }
  }

  #begin(row: CollectionCreationRow): void {
    checkpoint('leased', row.id);
    const running = this.#carry(row)
      .catch((err: unknown) =>
        this.#deps.log.warn({ err, collectionCreation: row.id }, 'a collection could not be carried on'),
      )
      .finally(() => {
        this.#running.delete(running);
        this.wake();
      });
    this.#running.set(running, row.issuer);
    this.#again = true;
  }

  async #carry(row: CollectionCreationRow): Promise<void> {
    const { db, log } = this.#deps;
    const lost = new AbortController();
    const release = keepLease(db, 'collection_creation', row.id, this.#owner, lost);
    let { attempts } = row;
    let next: Next;
    try {
      const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
      next = await advance({ deps: this.#deps, row, owner: this.#owner, signal });
      attempts = typeof next === 'object' ? (next.attempts ?? 0) : 0;
    } catch (error) {
      // A stop aborted the step, which is no fault: make it due at once, so that no replica waits for the
      // lease to expire.
      if (this.#stopping.signal.aborted) next = { afterMs: 0 };
      else if (lost.signal.aborted || error instanceof LeaseLost) return;
      else {
        attempts += 1;
        next = { afterMs: backoff(attempts, faultMs) };
        const code = error instanceof GatewayError ? error.code : undefined;
        log.warn({ err: error, code, collectionCreation: row.id }, 'a step of a collection failed');
      }
    } finally {
      release();
    }
    const afterMs = typeof next === 'object' ? next.afterMs : undefined;
    await releaseLease(db, row.id, this.#owner, afterMs, attempts);
    checkpoint('released', row.id);
  }
}
