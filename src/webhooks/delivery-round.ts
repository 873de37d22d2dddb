import { sql } from 'kysely';
import type { WebhookConfig } from '../config/config.ts';
import type { WebhookEndpointStatus } from '../model/webhook.ts';
import type { NewEvent } from '../store/append-events.ts';
import type { LeasedRow } from '../store/due-rows.ts';
import type { EventRow } from '../store/tables.ts';
import type { DeliveryResult, DeliveryRow } from './deliveries.ts';
import { type Failure, nextRetry, onFailure } from './schedule.ts';
import type { SendResult } from './sender.ts';

/** An event that is due at the endpoint. */
export interface DueEvent {
  event: EventRow;
  /** The delivery that is retried on its own schedule. Absent: the event comes from its position in the log. */
  retry?: DeliveryRow;
  /** The failed delivery of an event that is retried at its position in the log, and blocks those behind it. */
  blocking?: DeliveryRow | undefined;
}

/** The results of one step of the worker for an endpoint and its deliveries, until they are stored. */
export class DeliveryRound {
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

  add(id: string, due: DueEvent, sent: SendResult): void {
    const { event, retry } = due;
    // Use the database's clock, as for the times that this is compared with: the clock of this process may be wrong.
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
    if (sent.outcome === 'ACCEPTED') {
      this.attempts = 0;
      this.failingSince = null;
      this.status = 'ENABLED';
      if (!retry) this.#cursor = event.cursor;
      record('DELIVERED');
      return;
    }
    this.attempts++;
    this.failingSince ??= new Date(now);
    const earlier = retry ?? due.blocking;
    const retriedForMs = earlier ? now - earlier.first_at.getTime() : 0;
    this.failure = onFailure(
      sent.outcome,
      {
        attempts: this.attempts,
        failingForMs: now - this.failingSince.getTime(),
        heldForMs: retriedForMs,
        retryAfterMs: sent.retryAfterMs,
      },
      this.#config,
    );
    this.status = this.failure.status;
    if (!retry && !this.failure.setAside) {
      record('PENDING');
      return;
    }
    if (!retry) this.#cursor = event.cursor;
    const attempts = 1 + (earlier?.attempts.filter(({ at }) => new Date(at) >= earlier.first_at).length ?? 0);
    const nextInMs = nextRetry({ attempts, retriedForMs, retryAfterMs: sent.retryAfterMs }, this.#config);
    record(nextInMs === undefined ? 'FAILED' : 'PENDING', nextInMs);
  }

  /** Skips events up to `head` of types that the endpoint does not want, unless it has changed its types meanwhile. */
  skipTo(head: string): void {
    this.#head = head;
  }

  changes() {
    const { types, attempts } = this.endpoint;
    // If somebody has ended the endpoint's pause meanwhile, they want another attempt at once.
    const unlessPauseEnded = <T>(value: T, column: 'attempts' | 'failing_since') =>
      this.failure
        ? sql<T>`case when attempts = ${attempts} then ${value} else ${sql.ref(column)} end`
        : value;
    return {
      cursor: sql<string>`case when types is not distinct from ${types}::text[]
        then greatest(${this.#head}::bigint, ${this.#cursor}::bigint) else ${this.#cursor}::bigint end`,
      // While it is 0, a new event is sent at once.
      attempts: unlessPauseEnded(this.failure ? this.attempts : 0, 'attempts'),
      failing_since: unlessPauseEnded(this.failingSince, 'failing_since'),
      // Write only a change of this round, and not over a status that somebody has set meanwhile.
      ...(this.status !== this.endpoint.status && {
        status: sql<WebhookEndpointStatus>`case status when ${this.endpoint.status} then ${this.status} else status end`,
      }),
    };
  }

  /** For people: what the endpoint answered last, or why it did not. */
  get lastAnswer(): string {
    const { status, error } = this.results.at(-1)?.attempt ?? {};
    return status ? `HTTP ${status}` : (error ?? 'none');
  }

  /** The event that tells the issuer's subscribers that the endpoint is disabled. */
  disabledEvent(): NewEvent {
    const { id, url } = this.endpoint;
    return {
      type: 'WEBHOOK_ENDPOINT_DISABLED',
      kind: 'gateway',
      source: 'GATEWAY',
      dedupe: `webhook endpoint ${id} ${this.failingSince?.toISOString()}`,
      externalId: null,
      tokenId: null,
      collection: null,
      message: `The webhook endpoint at ${new URL(url).host} gets no more deliveries, because it has failed since ${this.failingSince?.toISOString()}. Its last answer: ${this.lastAnswer}`,
      raw: { webhookEndpoint: id },
    };
  }
}
