import { randomUUID } from 'node:crypto';
import { runWith } from '@srr-gateway/common/async-context';
import { backoff, sleep } from '@srr-gateway/common/time';
import type { Span } from '@srr-gateway/common/tracing/span';
import { sql } from 'kysely';
import { GatewayError } from '../model/errors.ts';
import { withSpan } from '../observability/trace.ts';
import type { IssuanceStatus } from '../store/tables.ts';
import { checkpoint } from './checkpoint.ts';
import { type FlowDeps, type IssuersTurn, isFinal, jobOf, type Next, queue, type Turn } from './flow.ts';
import { endAllLeases, keepLease, LeaseLost, releaseLease, takeLease } from './lease.ts';
import { follow } from './steps/follow.ts';
import { resolveUnknown, resolveWithoutKey } from './steps/resolve-unknown.ts';
import { submit } from './steps/submit.ts';
import { waitForFiles } from './steps/wait-for-files.ts';
import { lockOwned, transition } from './transition.ts';

/** Issuances worked on at once by one process, and of one issuer. Mostly they wait for the service. */
const concurrency = { places: 16, perOwner: 12 };
/** How often the worker looks for work that lost its wake-up (a crash, a lost job). The lease is longer. */
const sweepMs = 3_000;
/** A database that was away for a moment is no reason to send callers to another replica. */
const missedSweeps = 10;
/** Pauses after an unexpected error. They grow, and nothing is given up. */
const faultMs = { firstMs: 1_000, maxMs: 60_000 };

/** The steps that call the service as the issuer. */
const asking: Partial<Record<IssuanceStatus, (turn: IssuersTurn) => Promise<Next>>> = {
  WAITING_FOR_FILES: waitForFiles,
  SUBMITTING: submit,
  OUTCOME_UNKNOWN: resolveUnknown,
};

/** Time for an aborted step to give its lease back. */
const abortMs = 2_000;

/** Takes every issuance from state to state, on whichever replica holds its lease. */
export class IssuanceWorker {
  readonly #deps: FlowDeps;
  readonly #owner = randomUUID();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #draining = false;
  #sweptAt = 0;
  #sweeper: NodeJS.Timeout | undefined;

  constructor(deps: FlowDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    if (this.#deps.alone) await endAllLeases(this.#deps.db, 'issuance');
    await this.#deps.jobs.work(queue, concurrency, (id) =>
      this.#track(runWith({ issuanceId: id }, () => this.#carry(id))),
    );
    this.#sweeper = setInterval(() => void this.#track(this.#sweep()), sweepMs);
    await this.#sweep();
  }

  /** Whether the last sweep is recent, so that the worker still looks for work. */
  alive(): boolean {
    return Date.now() - this.#sweptAt < missedSweeps * sweepMs;
  }

  /** Lets running steps end within the drain time-out, then aborts them and gives their leases back. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    this.#draining = true;
    const drained = Promise.allSettled([...this.#running]).then(() => true);
    if (await within(this.#deps.timeouts.drain, drained)) return;
    this.#stopping.abort(new LeaseLost());
    // A step that hangs even so (the database does not answer) keeps its lease, which expires.
    if (!(await within(abortMs, drained)))
      this.#deps.log.warn('a step did not end in time; it will be taken up again');
  }

  #track(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  /** Queues due issuances of all issuers that no worker holds. This rescues work after a crash. */
  async #sweep(): Promise<void> {
    try {
      const due = await this.#deps.db
        .selectFrom('issuance')
        .select(['id', 'issuer'])
        .where('next_at', '<=', sql<Date>`clock_timestamp()`)
        .where((where) =>
          where.or([
            where('lease_until', 'is', null),
            where('lease_until', '<', sql<Date>`clock_timestamp()`),
          ]),
        )
        .orderBy('next_at')
        .limit(500)
        .execute();
      for (const row of due) await this.#deps.jobs.send(queue, jobOf(row));
      this.#sweptAt = Date.now();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'looking for due issuances failed');
    }
  }

  async #carry(id: string): Promise<void> {
    if (this.#draining) return;
    const { db, jobs, log } = this.#deps;
    const lost = new AbortController();
    try {
      const issuance = await takeLease(db, id, this.#owner);
      if (!issuance) return;
      checkpoint('leased', id);
      const release = keepLease(db, 'issuance', id, this.#owner, lost);
      let next: Next = 'again';
      let attempts = issuance.attempts;
      try {
        const signal = AbortSignal.any([lost.signal, this.#stopping.signal]);
        next = await this.#advance({ deps: this.#deps, issuance, owner: this.#owner, signal });
        attempts = typeof next === 'object' ? (next.attempts ?? 0) : 0;
      } catch (error) {
        if (lost.signal.aborted) return;
        // A stop aborted the step, which is no fault: make it due at once, so that no replica waits for the
        // lease to expire.
        if (this.#stopping.signal.aborted) next = { afterMs: 0, attempts };
        else if (error instanceof LeaseLost) return;
        else {
          attempts += 1;
          next = { afterMs: backoff(attempts, faultMs), attempts };
          log.warn(
            { err: error, code: error instanceof GatewayError ? error.code : undefined },
            'a step failed',
          );
        }
      } finally {
        release();
      }
      const afterMs = typeof next === 'object' ? next.afterMs : undefined;
      await releaseLease(db, id, this.#owner, afterMs, attempts);
      checkpoint('released', id);
      if (afterMs !== undefined) await jobs.send(queue, jobOf(issuance), afterMs);
    } catch (error) {
      log.warn({ err: error }, 'an issuance could not be carried on; it will be looked at again');
    }
  }

  async #advance(turn: Turn): Promise<Next> {
    for (;;) {
      if (isFinal(turn.issuance.status)) return 'final';
      turn.signal.throwIfAborted();
      const next = await withSpan(spanOf(turn), () => this.#step(turn));
      if (next !== 'again') return next;
      turn.issuance = await turn.deps.db
        .selectFrom('issuance')
        .selectAll()
        .where('id', '=', turn.issuance.id)
        .where('issuer', '=', turn.issuance.issuer)
        .executeTakeFirstOrThrow();
    }
  }

  #step(turn: Turn): Promise<Next> {
    const { status, issuer, sealed_key } = turn.issuance;
    const ask = asking[status];
    // The subgraph needs no key, so accepted records are followed even without one.
    if (!ask) return follow(turn);
    const credentials = this.#deps.keys.open(issuer, sealed_key);
    return credentials ? ask({ ...turn, credentials }) : this.#withoutCredentials(turn);
  }

  /** The issuer left the configuration and the issuance has no key of its own. */
  async #withoutCredentials(turn: Turn): Promise<Next> {
    if (turn.issuance.status !== 'WAITING_FOR_FILES') {
      if (await resolveWithoutKey(turn)) return 'again';
      this.#deps.log.warn('no API key for the issuer of a running issuance');
      return { afterMs: faultMs.maxMs };
    }
    await this.#deps.db.transaction().execute(async (trx) => {
      const row = await lockOwned(trx, turn);
      await transition(trx, row, 'REJECTED', 'no API key for its issuer', {
        code: 'UNAUTHENTICATED',
        message: `The gateway has no API key for ${row.issuer} any more; nothing was sent.`,
      });
    });
    return 'final';
  }
}

/** The span of a step. The steps of an issuance are in one trace, by the id that the worker sets. */
const spanOf = ({ issuance: { status, attempts } }: Turn): Span => ({
  name: `issuance ${status}`,
  kind: 'INTERNAL',
  attributes: { 'srr.issuance.status': status, 'srr.issuance.attempts': attempts },
});

/** Whether `done` resolves to true within `ms` milliseconds. */
async function within(ms: number, done: Promise<boolean>): Promise<boolean> {
  const limit = new AbortController();
  const late = sleep(ms, limit.signal).then(
    () => false,
    () => false,
  );
  return Promise.race([done, late]).finally(() => limit.abort());
}
