import type { Address } from '@srr-gateway/common/address';
import type { Logger } from '@srr-gateway/common/log';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import type { SandboxSettings } from '../config/settings.ts';
import type { FaultOf } from '../faults/fault-schema.ts';
import type { Faults } from '../faults/faults.ts';
import { magicOf } from '../faults/magic-values.ts';
import { UsedOnce } from '../faults/used-once.ts';
import type { Clock } from '../lib/clock.ts';
import { startWorkerPool, type WorkerPool } from '../lib/worker-pool.ts';
import { anyOf } from '../store/any-of.ts';
import type { Db, DeliveryType } from '../store/tables.ts';
import { type DeliveryShape, shaped } from './shapes.ts';
import type { WebhookTarget, WebhookTargets } from './targets.ts';

interface SenderOptions {
  db: Db;
  targets: WebhookTargets;
  faults: Faults;
  clock: Clock;
  log: Logger;
  settings: Pick<SandboxSettings, 'webhookAttempts' | 'webhookBackoffMs' | 'webhookTimeoutMs'>;
  /** Read at each poll, because deliveries can be paused at run time. */
  paused(): boolean;
  /** Read at each attempt, so that a delivery can be sent again in another shape. */
  shape(): DeliveryShape;
}

interface Delivery {
  id: string;
  issuer: Address;
  type: DeliveryType;
  body: string;
  attempts: number;
  created_at: Date;
}

type Attempt = { ok: boolean; status: number | null; error: string | null };

/** Deliveries sent at once: enough that one slow receiver does not delay the others. */
const concurrency = 8;

/** 410 Gone: the receiver does not want this delivery, so it is not retried. */
const gone = 410;

/** How long a reordered delivery waits for another one of its issuer to overtake it. */
const overtakenWithinMs = 5_000;

type WebhookFault = Pick<FaultOf<'webhook'>, 'effect' | 'delayMs'>;

/**
 * Sends the deliveries in the outbox. An attempt is recorded when it has ended, so one that a crash cut off
 * is repeated: a receiver gets every delivery at least once.
 */
export function startWebhookSender(options: SenderOptions): WorkerPool {
  const { db, targets, faults, clock, settings } = options;
  // The signal of each attempt limits its whole time.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  /** Ids of pending deliveries that a fault has hit: it hits each only once, however often it is tried. */
  const hit = new Set<string>();
  /** The clock's offset when a delivery began to wait, by its id. */
  const offsetAt = new Map<string, number>();
  /** Used magic values, by the id of the delivery, so that one that is sent again arrives. */
  const magicUsed = new UsedOnce();
  /** Deliveries that wait to be overtaken, by id. */
  const overtaken = new Map<string, Delivery>();
  const workers = startWorkerPool<Delivery>({
    name: 'webhooks',
    log: options.log,
    concurrency,
    idOf: ({ id }) => id,
    find: async (limit) => {
      const reachable = targets.reachable();
      if (options.paused() || reachable.length === 0) return { items: [] };
      const pending = await db
        .selectFrom('delivery')
        .select(['id', 'issuer', 'type', 'body', 'attempts', 'next_attempt_at', 'created_at'])
        .where('status', '=', 'pending')
        .$if(reachable !== 'all', (query) => query.where(anyOf('issuer', reachable)))
        .orderBy('next_attempt_at')
        .limit(limit + 1)
        .execute();
      const later = pending.map(dueIn).filter((ms) => ms > 0);
      return {
        items: pending.filter((row) => dueIn(row) <= 0),
        nextInMs: later.length > 0 ? Math.min(...later) : undefined,
      };
    },
    run: async (delivery) => {
      const target = targets.of(delivery.issuer);
      if (target === undefined) return;
      const fault = consumeFault(delivery);
      if (fault?.effect === 'drop') return settle(delivery, 'dropped');
      if (fault?.effect === 'late') return postpone(delivery, fault.delayMs);
      if (fault?.effect === 'reorder') {
        overtaken.set(delivery.id, delivery);
        return postpone(delivery, overtakenWithinMs);
      }
      overtaken.delete(delivery.id);
      if (fault?.effect === 'double') await send(delivery, target);
      const attempt = await send(delivery, target);
      await record(delivery, attempt);
      if (attempt.ok) await releaseOvertaken(delivery);
    },
  });

  /** When tests move the clock forward, an attempt is due earlier; moving it back does not delay the attempt. */
  function dueIn({ id, next_attempt_at }: { id: string; next_attempt_at: Date }): number {
    const movedForward = Math.max(0, clock.offsetMs - (offsetAt.get(id) ?? 0));
    return next_attempt_at.getTime() - Date.now() - movedForward;
  }

  /** The due time of a delivery whose wait begins now. */
  function dueAfter({ id }: Delivery, ms: number): Date {
    offsetAt.set(id, clock.offsetMs);
    return new Date(Date.now() + ms);
  }

  function consumeFault(delivery: Delivery): WebhookFault | undefined {
    if (hit.has(delivery.id) || delivery.attempts > 0) return undefined;
    const externalIds = externalIdsOf(delivery);
    const magic = externalIds.map((id) => magicOf(id).webhook).find((found) => found !== undefined);
    const fault =
      magic && magicUsed.first(delivery.id)
        ? magic
        : faults.consume(
            'webhook',
            (armed) =>
              (armed.type ?? delivery.type) === delivery.type &&
              (armed.externalId === undefined || externalIds.includes(armed.externalId)),
          );
    if (fault) hit.add(delivery.id);
    return fault;
  }

  /** Makes one attempt: sends all POSTs of the delivery, up to the first that fails. */
  async function send(delivery: Delivery, target: WebhookTarget): Promise<Attempt> {
    let attempt: Attempt = { ok: true, status: null, error: null };
    for (const body of shaped(delivery, options.shape())) {
      attempt = await post(target, body);
      if (!attempt.ok) break;
    }
    return attempt;
  }

  async function post({ url, key }: WebhookTarget, body: string): Promise<Attempt> {
    try {
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body,
        dispatcher: agent,
        signal: AbortSignal.timeout(settings.webhookTimeoutMs),
      });
      await answer.body.dump();
      const { statusCode } = answer;
      return { ok: statusCode >= 200 && statusCode < 300, status: statusCode, error: null };
    } catch (error) {
      // A stop aborted the attempt. It does not count, and the next process repeats it.
      if (agent.destroyed) throw error;
      // Keep only the error's code: its message can contain the address.
      const { code, name } = error as { code?: unknown; name: string };
      return { ok: false, status: null, error: typeof code === 'string' ? code : name };
    }
  }

  async function postpone(delivery: Delivery, ms: number): Promise<void> {
    await db
      .updateTable('delivery')
      .set({ next_attempt_at: dueAfter(delivery, ms) })
      .where('id', '=', delivery.id)
      .execute();
  }

  /** Releases the deliveries of this issuer that wait to be overtaken, now that this later one has arrived. */
  async function releaseOvertaken({ issuer, created_at }: Delivery): Promise<void> {
    const ids = [...overtaken.values()]
      .filter((waiting) => waiting.issuer === issuer && waiting.created_at < created_at)
      .map(({ id }) => id);
    if (ids.length === 0) return;
    for (const id of ids) overtaken.delete(id);
    await db
      .updateTable('delivery')
      .set({ next_attempt_at: new Date() })
      .where(anyOf('id', ids, 'uuid'))
      .where('status', '=', 'pending')
      .execute();
    workers.wake();
  }

  async function record(delivery: Delivery, attempt: Attempt): Promise<void> {
    if (attempt.ok) return settle(delivery, 'delivered', attempt);
    const attempts = delivery.attempts + 1;
    if (attempt.status === gone || attempts >= settings.webhookAttempts)
      return settle(delivery, 'failed', attempt);
    await db
      .updateTable('delivery')
      .set({
        attempts,
        last_status: attempt.status,
        last_error: attempt.error,
        tries: withAttempt(attempt),
        next_attempt_at: dueAfter(delivery, settings.webhookBackoffMs * 2 ** (attempts - 1)),
      })
      .where('id', '=', delivery.id)
      .execute();
  }

  async function settle(
    delivery: Delivery,
    status: 'delivered' | 'failed' | 'dropped',
    attempt?: Attempt,
  ): Promise<void> {
    await db
      .updateTable('delivery')
      .set({
        status,
        attempts: delivery.attempts + (attempt ? 1 : 0),
        last_status: attempt?.status ?? null,
        last_error: attempt?.error ?? null,
        ...(attempt && { tries: withAttempt(attempt) }),
        settled_at: new Date(),
      })
      .where('id', '=', delivery.id)
      .execute();
    hit.delete(delivery.id);
    offsetAt.delete(delivery.id);
  }

  return {
    wake: workers.wake,
    stop: async () => {
      await workers.stop();
      await agent.destroy();
    },
  };
}

/** SQL that appends an attempt to the row's `tries`. */
function withAttempt({ status, error }: Attempt) {
  const one = JSON.stringify([{ at: new Date().toISOString(), status, error }]);
  return sql<string>`delivery.tries || ${one}::jsonb`;
}

function externalIdsOf({ body }: Delivery): string[] {
  const { data } = JSON.parse(body) as { data: { externalId?: unknown }[] };
  return data.flatMap(({ externalId }) => (typeof externalId === 'string' ? [externalId] : []));
}
