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

/** Creations carried at once by one process, and of one issuer: another's must not wait behind all of it. */
const places = 8;
const placesOfOne = 4;
/** How often due work is looked for; a creation that was just asked for wakes the worker by itself. */
const sweepMs = 1_000;
/** What an aborted step gets to hand its lease back. */
const abortMs = 2_000;
/** After an unforeseen fault a step is tried again, ever more rarely; nothing is given up. */
const faultMs = { firstMs: 1_000, maxMs: 60_000 };

/** Carries the creations of collections that are due, those of replicas that died included. */
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

  /** There may be a creation that is due, or a place for one. */
  wake(): void {
    this.#again = true;
    this.#looking ??= runDetached(() => this.#look()).finally(() => {
      this.#looking = undefined;
    });
  }

  /** Lets running steps end within the drain limit, then cuts them off and hands their leases on. */
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
    // One that hangs in spite of it (a store that does not answer) keeps its lease, which ends by itself.
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
        // One at a time, so that one issuer cannot take all places in one look.
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
      // Cut off by a stop, which is nobody's fault: whoever runs next need not wait for the lease to end.
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
