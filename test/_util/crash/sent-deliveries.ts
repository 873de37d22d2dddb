import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Agent, request } from 'undici';
import { expect } from 'vitest';
import type { Fleet } from './fleet.ts';
import { Tally } from './tally.ts';

/** Enough senders for several concurrent transactions. */
const senders = 8;
/** Shorter than the pause of the real service, so that a fault affects many attempts. */
const retryMs = 100;
/** Longer than any time limit of the gateway; a response after this time counts as missing. */
const givenUpMs = 120_000;

/** Deliveries about unknown records, which are sent until they are accepted, as by the service. */
export class SentDeliveries {
  readonly #fleet: Fleet;
  readonly #name: string;
  readonly #taken: string[] = [];
  readonly #answers = new Tally();
  #lastAt = performance.now();
  #longestPauseMs = 0;
  #slowestMs = 0;

  constructor(fleet: Fleet, name: string) {
    this.#fleet = fleet;
    this.#name = name;
  }

  get taken(): number {
    return this.#taken.length;
  }

  /** The time of the last accepted delivery, by `performance.now()`. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** The longest time from a request to its response, with any status. */
  get slowestMs(): number {
    return this.#slowestMs;
  }

  /** The longest time without an accepted delivery. */
  get longestPauseMs(): number {
    return this.#longestPauseMs;
  }

  /** Sends new deliveries until the signal aborts, and then completes the pending ones. */
  async sendUntil(signal: AbortSignal): Promise<void> {
    const agent = new Agent({
      connections: senders,
      pipelining: 0,
      bodyTimeout: givenUpMs,
      headersTimeout: givenUpMs,
    });
    let endedAt = Number.POSITIVE_INFINITY;
    signal.addEventListener('abort', () => {
      endedAt = performance.now();
    });
    let next = 0;
    const sender = async () => {
      while (!signal.aborted) {
        const externalId = `${this.#name}-${next++}`;
        while ((await this.#send(agent, externalId)) !== 200) await sleep(retryMs);
        const now = performance.now();
        // No new deliveries are sent after the end, so one late response there is not a pause of all senders.
        this.#longestPauseMs = Math.max(this.#longestPauseMs, Math.min(now, endedAt) - this.#lastAt);
        this.#lastAt = now;
        this.#taken.push(externalId);
      }
    };
    await Promise.all(Array.from({ length: senders }, sender));
    await agent.close();
  }

  async #send(dispatcher: Agent, externalId: string): Promise<number | undefined> {
    const { url, key } = this.#fleet.webhooks;
    const startedAt = performance.now();
    const data = [{ groupId: 'nobody', externalId, message: 'no gas' }];
    const status = await request(url, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ type: 'issue_failed', version: 1, data }),
    }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => undefined,
    );
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt);
    this.#answers.add(status === undefined ? 'cut off' : `HTTP ${status}`);
    return status;
  }

  /** Expects each accepted delivery once in the log, a log without gaps, and no refusal because of a bug. */
  async expectStoredOnce(databaseUrl: string): Promise<void> {
    expect(`${this.#answers}`).not.toContain('HTTP 500');
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ external_id: string; count: number }>(
        'select external_id, count(*)::int from gateway.event where external_id = any($1) group by 1',
        [this.#taken],
      );
      const twice = rows.filter(({ count }) => count !== 1);
      expect(twice, 'stored more than once').toEqual([]);
      expect(rows.length, 'stored of those that were taken').toBe(this.#taken.length);
      const { rows: logs } = await client.query<{ events: number; cursor: number; head: number }>(
        `select count(*)::int as events, max(event.cursor)::int as cursor, max(head.cursor)::int as head
         from gateway.event join gateway.event_head head using (issuer) group by issuer`,
      );
      for (const { events, cursor, head } of logs) expect([events, events]).toEqual([cursor, head]);
    } finally {
      await client.end();
    }
  }

  toString(): string {
    return (
      `deliveries: ${this.taken} taken and stored once; answers: ${this.#answers}; ` +
      `slowest answer ${seconds(this.#slowestMs)}, longest pause ${seconds(this.#longestPauseMs)}`
    );
  }
}

/** Formats milliseconds as seconds. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
