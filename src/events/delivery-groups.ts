import type { Address } from '@srr-gateway/common/address';
import { sleep } from '@srr-gateway/common/time';
import { bulkhead } from 'cockatiel';
import { databaseUnavailable } from '../lib/database-unavailable.ts';
import { HttpError } from '../lib/http-error.ts';
import type { NewEvent } from '../store/append-events.ts';
import type { Stored } from './append-deliveries.ts';

/** Stores deliveries of an issuer in one transaction. */
export type Append = (issuer: Address, deliveries: NewEvent[][]) => Promise<Stored[]>;

interface WaitingDelivery {
  events: NewEvent[];
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

/** Keeps a transaction, and with it the lock of the issuer's log, to tens of milliseconds. */
const maxGroupEvents = 500;
/** Leaves most of the default pool of ten connections to readers and workers. */
const maxTransactions = 3;
/**
 * A sender waits for the response before it sends its next delivery. Without this pause after a group, the first
 * sender to come back would get a commit of its own, and the others would wait for it.
 */
const gatherMs = 4;
/** Two seconds of work for one processor. A sender that waits longer may give up and send again. */
const maxWaitingEvents = 4_000;

/**
 * Commits deliveries in groups: those that arrive during a commit form the issuer's next group. A single delivery
 * is committed at once, and a burst takes few commits and few connections.
 */
export class DeliveryGroups {
  readonly #append: Append;
  readonly #queues = new Map<Address, WaitingDelivery[]>();
  readonly #transactions = bulkhead(maxTransactions, Number.POSITIVE_INFINITY);
  #waitingEvents = 0;

  constructor(append: Append) {
    this.#append = append;
  }

  /**
   * Returns after the commit.
   * @throws HttpError 503 when too many events wait already.
   */
  store(issuer: Address, events: NewEvent[]): Promise<Stored> {
    // A delivery larger than the limit is accepted when nothing else waits.
    if (this.#waitingEvents > 0 && this.#waitingEvents + events.length > maxWaitingEvents) throw overloaded();
    this.#waitingEvents += events.length;
    const stored = new Promise<Stored>((resolve, reject) => {
      const delivery = { events, resolve, reject };
      const queue = this.#queues.get(issuer);
      if (queue) queue.push(delivery);
      else {
        this.#queues.set(issuer, [delivery]);
        void this.#commitAll(issuer);
      }
    });
    return stored.finally(() => {
      this.#waitingEvents -= events.length;
    });
  }

  async #commitAll(issuer: Address): Promise<void> {
    const queue = this.#queues.get(issuer) ?? [];
    while (queue.length > 0) {
      const stored = await this.#transactions.execute(() => this.#commitFirst(issuer, queue));
      if (stored > 1 && queue.length < stored) await sleep(gatherMs);
    }
    this.#queues.delete(issuer);
  }

  /** Commits the first group of the queue. Returns its number of deliveries. */
  async #commitFirst(issuer: Address, queue: WaitingDelivery[]): Promise<number> {
    const group = queue.splice(0, groupLength(queue));
    await this.#commit(issuer, group);
    return group.length;
  }

  /** Never rejects: it settles the promise of each delivery instead. */
  async #commit(issuer: Address, group: WaitingDelivery[]): Promise<void> {
    try {
      const stored = await this.#append(
        issuer,
        group.map(({ events }) => events),
      );
      for (const [index, { resolve }] of group.entries()) resolve(stored[index] as Stored);
    } catch (error) {
      if (group.length === 1 || databaseUnavailable(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      // One delivery that cannot be stored must not fail the others. Halving finds it in few transactions.
      const middle = Math.ceil(group.length / 2);
      await this.#commit(issuer, group.slice(0, middle));
      await this.#commit(issuer, group.slice(middle));
    }
  }
}

/** The number of deliveries at the head of the queue that form one group: at least one. */
function groupLength(queue: WaitingDelivery[]): number {
  let length = 0;
  for (let events = 0; length < queue.length; length++) {
    events += queue[length]?.events.length ?? 0;
    if (events > maxGroupEvents) break;
  }
  return Math.max(1, length);
}

const overloaded = () =>
  new HttpError(
    503,
    'Too many deliveries are waiting to be stored. Send this one again in a second.',
    { 'retry-after': '1' },
    'UPSTREAM_UNAVAILABLE',
  );
