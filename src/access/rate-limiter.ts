import { chunksOf } from '@srr-gateway/common/chunks';
import type { Logger } from '@srr-gateway/common/log';
import { OutageLog } from '@srr-gateway/common/outage-log';
import { sql } from 'kysely';
import { startInterval } from '../lib/interval.ts';
import { ago } from '../store/database-time.ts';
import type { Db } from '../store/store.ts';

/** State of a caller's limit after a request. */
export interface RateState {
  /** Why the request is refused; undefined when it is within the limit. */
  refusal: string | undefined;
  /** In a minute. */
  limit: number;
  remaining: number;
  /** Seconds until the window ends. */
  resetsIn: number;
}

/** A minute, so that a page that loads in bursts does not reach the limit. */
export const windowSeconds = 60;
/**
 * How often replicas exchange counts. A caller that spreads requests over replicas gains one such interval at most.
 */
const exchangeMs = 1_000;
/** Share of the limit below which a caller's count is not written to the database. */
const worthSyncing = 0.05;
/** Callers in memory. Beyond this the oldest are dropped, so that a flood of addresses cannot fill it. */
const maxCallers = 100_000;

/** A statement has at most 65,535 parameters, and a row has three. */
const atOnce = 10_000;

interface Count {
  /** Sum of all replicas in the database at the last exchange. */
  synced: number;
  /** What was counted here since then. */
  pending: number;
}

/**
 * Fixed-window rate limiter over all replicas. It counts in memory, so that no request waits for the
 * database, and adds up the counts of busy callers there in the background.
 */
export class RateLimiter {
  readonly #db: Db;
  readonly #limit: number;
  readonly #now: () => number;
  #startsAt = 0;
  #counts = new Map<string, Count>();

  constructor(db: Db, limit: number, now: () => number = Date.now) {
    this.#db = db;
    this.#limit = limit;
    this.#now = now;
  }

  /** Counts one request of the caller, also when it is refused. */
  consume(caller: string): RateState {
    const count = this.#countOf(caller);
    count.pending++;
    const state = this.#stateOf(count);
    if (count.synced + count.pending <= state.limit) return state;
    const refusal = `More than ${state.limit} requests in a minute (RATE_LIMIT). Try again in ${state.resetsIn} seconds.`;
    return { ...state, refusal };
  }

  /** Charges the cost of an operation to the caller. A refused one costs nothing. */
  charge(caller: string, cost: number): RateState {
    const count = this.#countOf(caller);
    const state = this.#stateOf(count);
    const { remaining, limit, resetsIn } = state;
    if (cost > remaining) {
      const refusal = `This operation costs ${cost}, and ${remaining} of ${limit} in a minute are left (COST_LIMIT). Ask for less, or try again in ${resetsIn} seconds.`;
      return { ...state, refusal };
    }
    count.pending += cost;
    return { ...state, remaining: remaining - cost };
  }

  #countOf(caller: string): Count {
    this.#startWindow();
    const count = this.#counts.get(caller) ?? { synced: 0, pending: 0 };
    if (count.synced + count.pending === 0) this.#remember(caller, count);
    return count;
  }

  #stateOf({ synced, pending }: Count): RateState {
    const limit = this.#limit;
    const resetsIn = Math.ceil((this.#startsAt + windowSeconds * 1000 - this.#now()) / 1000);
    return { refusal: undefined, limit, remaining: Math.max(0, limit - synced - pending), resetsIn };
  }

  /**
   * Adds the local counts of busy callers to the database and reads the sums of all replicas. Returns whether there
   * were any.
   */
  async exchange(): Promise<boolean> {
    const counts = this.#counts;
    const starts_at = new Date(this.#startsAt);
    const busy = [...counts].filter(([, { pending }]) => pending >= this.#limit * worthSyncing);
    if (busy.length === 0) return false;
    for (const some of chunksOf(busy, atOnce)) await this.#sync(some, counts, starts_at);
    // By the database's clock: a replica whose clock is ahead would delete the counts of others.
    const over = ago(2 * windowSeconds * 1000);
    await this.#db.deleteFrom('rate_window').where('starts_at', '<', over).execute();
    return true;
  }

  async #sync(busy: [string, Count][], counts: Map<string, Count>, starts_at: Date): Promise<void> {
    const sent = new Map(busy.map(([caller, { pending }]) => [caller, pending]));
    const rows = await this.#db
      .insertInto('rate_window')
      // Always in the same order, or two replicas could deadlock on each other's rows.
      .values([...sent].sort().map(([caller, requests]) => ({ caller, starts_at, requests })))
      .onConflict((conflict) =>
        conflict
          .columns(['starts_at', 'caller'])
          .doUpdateSet({ requests: sql`rate_window.requests + excluded.requests` }),
      )
      .returning(['caller', 'requests'])
      .execute();
    for (const { caller, requests } of rows) {
      const count = counts.get(caller);
      if (count) {
        const added = sent.get(caller) ?? 0;
        count.pending -= added;
        // The window of a replica whose clock is behind is deleted too early, so keep at least the local count.
        count.synced = Math.max(requests, count.synced + added);
      }
    }
  }

  /** Exchanges counts until it is stopped. While the database is down each replica counts by itself. */
  start(log: Logger): { stop(): Promise<void> } {
    const outage = new OutageLog(log, 'exchanging request counts failed; they stay local');
    return startInterval(exchangeMs, () =>
      this.exchange().then(
        (asked) => (asked ? outage.succeeded() : undefined),
        (error: unknown) => outage.failed(error),
      ),
    );
  }

  /** Forgets the counts of a window that is over. */
  #startWindow(): void {
    const now = this.#now();
    const startsAt = now - (now % (windowSeconds * 1000));
    if (startsAt === this.#startsAt) return;
    this.#startsAt = startsAt;
    this.#counts = new Map();
  }

  #remember(caller: string, count: Count): void {
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined && this.#counts.size >= maxCallers) this.#counts.delete(oldest);
    this.#counts.set(caller, count);
  }
}
