import { setTimeout as sleep } from 'node:timers/promises';
import { bodiesOf, entryOf, type Subject } from './delivery-shapes.ts';
import type { Kind } from './delivery-variants.ts';
import type { Variants } from './variants.ts';
import { type Account, extended } from './world.ts';

/** A delivery to a webhook, with all attempts. */
export interface Delivery {
  issuer: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies untyped
  body: any;
  state: 'WAITING' | 'HELD' | 'LOST' | 'DELIVERED' | 'GIVEN_UP';
  /** UNREACHABLE: there was no response. `text` is the body of the response. */
  attempts: { at: number; status: number | 'UNREACHABLE'; text: string }[];
}

/** Delivers outcomes to the webhooks of the wallets, as set by the variants. */
export class Deliveries {
  /** All deliveries, in the order in which they were made. */
  readonly all: Delivery[] = [];
  readonly #variants: Variants;
  readonly #accounts: Account[];
  readonly #gathered = new Map<string, Record<string, unknown>[]>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #stopped = new AbortController();

  constructor(variants: Variants, accounts: Account[]) {
    this.#variants = variants;
    this.#accounts = accounts;
  }

  get held(): Delivery[] {
    return this.all.filter(({ state }) => state === 'HELD');
  }

  /** Whether something will still be sent without an action of the test. */
  get busy(): boolean {
    return this.#gathered.size > 0 || this.all.some(({ state }) => state === 'WAITING');
  }

  /** Delivers one outcome, perhaps together with later ones. */
  enqueue(kind: Kind, issuer: string, subject: Subject, message?: string): void {
    const { deliveries } = this.#variants;
    const failed = kind === 'failed' || kind === 'collectionFailed';
    const success = kind === 'collectionFailed' ? 'collectionCreated' : 'issued';
    const kindAsSent = failed && deliveries.failedAs === 'STATUS' ? success : kind;
    const name = deliveries.kinds[kindAsSent];
    const entry = entryOf(deliveries, subject, failed, message);
    const group = JSON.stringify([issuer, name]);
    const waiting = this.#gathered.get(group);
    if (waiting) return void waiting.push(entry);
    this.#gathered.set(group, [entry]);
    const leave = () => {
      const entries = this.#gathered.get(group) ?? [];
      this.#gathered.delete(group);
      const inOrder = deliveries.reversed ? entries.toReversed() : entries;
      for (const body of bodiesOf(deliveries.envelope, name, inOrder)) this.#make(issuer, body);
    };
    if (deliveries.gatherMs === 0) leave();
    else this.#after(deliveries.gatherMs, leave);
  }

  /** Sends a body of the test once, at once. */
  async send(issuer: string, body: unknown): Promise<Delivery> {
    const delivery: Delivery = { issuer, body, state: 'WAITING', attempts: [] };
    this.all.push(delivery);
    await this.#deliver(delivery);
    return delivery;
  }

  /** Sends all held deliveries, or those that `which` picks. Resolves when each has its last response. */
  async release(which: (delivery: Delivery) => boolean = () => true): Promise<Delivery[]> {
    const going = this.held.filter(which);
    for (const one of this.#variants.deliveries.reversed ? going.toReversed() : going) {
      one.state = 'WAITING';
      await this.#deliver(one);
    }
    return going;
  }

  stop(): void {
    this.#stopped.abort();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #make(issuer: string, body: unknown): void {
    const { way, copies, delayMs } = this.#variants.deliveries;
    for (let copy = 0; copy < copies; copy++) {
      const state = way === 'SEND' ? 'WAITING' : way === 'HOLD' ? 'HELD' : 'LOST';
      const delivery: Delivery = { issuer, body: extended(this.#variants, body), state, attempts: [] };
      this.all.push(delivery);
      if (state === 'WAITING') this.#after(delayMs, () => void this.#deliver(delivery));
    }
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const webhook = this.#accounts.find(({ address }) => address === delivery.issuer)?.webhook;
    if (!webhook) {
      delivery.state = 'LOST';
      return;
    }
    const { attempts, retryMs } = this.#variants.deliveries;
    while (delivery.attempts.length < attempts) {
      if (delivery.attempts.length > 0)
        await sleep(retryMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
      if (this.#stopped.signal.aborted) return;
      const attempt = await post(webhook, delivery.body, this.#stopped.signal);
      delivery.attempts.push(attempt);
      if (attempt.status !== 'UNREACHABLE' && attempt.status >= 200 && attempt.status < 300) {
        delivery.state = 'DELIVERED';
        return;
      }
    }
    delivery.state = 'GIVEN_UP';
  }

  #after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms).unref();
    this.#timers.add(timer);
  }
}

async function post({ url, key }: { url: string; key: string }, body: unknown, signal: AbortSignal) {
  const at = Date.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
      signal,
    });
    return { at, status: response.status, text: await response.text() };
  } catch (error) {
    return { at, status: 'UNREACHABLE' as const, text: String(error) };
  }
}
