import { sql } from 'kysely';
import type { WebhookConfig } from '../config/config.ts';
import type { WebhookEndpointStatus } from '../model/webhook.ts';
import type { NewEvent } from '../store/append-events.ts';
import type { LeasedRow } from '../store/due-rows.ts';
import type { EventRow } from '../store/tables.ts';
import type { DeliveryResult, DeliveryRow } from './deliveries.ts';
import { type Failure, nextRetry, onFailure } from './schedule.ts';
import type { Sent } from './sender.ts';

/** One thing to send. */
export interface Item {
  event: EventRow;
  /** Set for a delivery that is due by its own schedule. Absent: the event comes from its place in the log. */
  aside?: DeliveryRow;
  /** What is known of an event that failed at its place in the log, and holds up those behind it. */
  held?: DeliveryRow | undefined;
}

/** What became of an endpoint and its deliveries in one step of the worker, until it is stored. */
export class Round {
  readonly endpoint: LeasedRow<'webhook_endpoint'>;
  readonly results: DeliveryResult[] = [];
  readonly #config: WebhookConfig;
  readonly #startedAt = performance.now();
  status: WebhookEndpointStatus;
  attempts: number;
  failingSince: Date | null;
  /** Set by the first failure, which ends the round. */
  failure: Failure | undefined;
  #cursor: string;
  #head = '0';

  /** `failures` is the number of failures in a row before this round. */
  constructor(endpoint: LeasedRow<'webhook_endpoint'>, config: WebhookConfig, failures: number) {
    this.endpoint = endpoint;
    this.#config = config;
    this.status = endpoint.status;
    this.attempts = failures;
    this.failingSince = endpoint.failing_since;
    this.#cursor = endpoint.cursor;
  }

  add(id: string, item: Item, sent: Sent): void {
    const { event, aside } = item;
    // By the database's clock, as the times that it is compared with: that of this process may be wrong.
    const now = this.endpoint.read_at.getTime() + performance.now() - this.#startedAt;
    const at = new Date(now - sent.attempt.durationMs).toISOString();
    const record = (status: DeliveryResult['status'], nextInMs: number | null = null) =>
      this.results.push({
        id,
        cursor: event.cursor,
        type: event.type,
        status,
        attempt: { ...sent.attempt, at },
        nextInMs,
      });
    if (sent.answer === 'ACCEPTED') {
      this.attempts = 0;
      this.failingSince = null;
      this.status = 'ENABLED';
      if (!aside) this.#cursor = event.cursor;
      record('DELIVERED');
      return;
    }
    this.attempts++;
    this.failingSince ??= new Date(now);
    const before = aside ?? item.held;
    const retriedForMs = before ? now - before.first_at.getTime() : 0;
    this.failure = onFailure(
      sent.answer,
      {
        attempts: this.attempts,
        failingForMs: now - this.failingSince.getTime(),
        heldForMs: retriedForMs,
        retryAfterMs: sent.retryAfterMs,
      },
      this.#config,
    );
    this.status = this.failure.status;
    if (!aside && !this.failure.setAside) {
      record('PENDING');
      return;
    }
    if (!aside) this.#cursor = event.cursor;
    const attempts = 1 + (before?.attempts.filter(({ at }) => new Date(at) >= before.first_at).length ?? 0);
    const nextInMs = nextRetry({ attempts, retriedForMs, retryAfterMs: sent.retryAfterMs }, this.#config);
    record(nextInMs === undefined ? 'FAILED' : 'PENDING', nextInMs);
  }

  /** Skips what does not match the endpoint's types, unless they have changed since it was looked for. */
  moveTo(head: string): void {
    this.#head = head;
  }

  changes() {
    const { types, attempts } = this.endpoint;
    // Whoever ended the endpoint's pause meanwhile wants another attempt at once.
    const unlessTriedAnew = <T>(value: T, column: 'attempts' | 'failing_since') =>
      this.failure
        ? sql<T>`case when attempts = ${attempts} then ${value} else ${sql.ref(column)} end`
        : value;
    return {
      cursor: sql<string>`case when types is not distinct from ${types}::text[]
        then greatest(${this.#head}::bigint, ${this.#cursor}::bigint) else ${this.#cursor}::bigint end`,
      // While it is 0, an event that comes is sent at once.
      attempts: unlessTriedAnew(this.failure ? this.attempts : 0, 'attempts'),
      failing_since: unlessTriedAnew(this.failingSince, 'failing_since'),
      // Only a change of its own, and none when somebody has disabled the endpoint meanwhile.
      ...(this.status !== this.endpoint.status && {
        status: sql<WebhookEndpointStatus>`case status when 'DISABLED' then status else ${this.status} end`,
      }),
    };
  }

  /** The event by which the issuer's subscribers learn of it. */
  disabledEvent(): NewEvent {
    const { id, url } = this.endpoint;
    const last = this.results.at(-1);
    const answered = last?.attempt.status
      ? `HTTP ${last.attempt.status}`
      : (last?.attempt.error ?? 'nothing');
    return {
      type: 'WEBHOOK_ENDPOINT_DISABLED',
      kind: 'gateway',
      source: 'GATEWAY',
      dedupe: `webhook endpoint ${id} ${this.failingSince?.toISOString()}`,
      externalId: null,
      tokenId: null,
      collection: null,
      message: `Nothing is sent any more to the webhook endpoint at ${new URL(url).host}, which has failed since ${this.failingSince?.toISOString()}. Its last answer: ${answered}`,
      raw: { webhookEndpoint: id },
    };
  }
}
