import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Page, pageOf } from '../model/page.ts';
import type { WebhookAttempt, WebhookDeliveryStatus } from '../model/webhook.ts';
import { ago, now } from '../store/database-time.ts';
import { repeatUntilDone } from '../store/maintenance.ts';
import type { Db, WebhookDeliveryTable } from '../store/tables.ts';
import type { EndpointRow } from './endpoints.ts';

export type DeliveryRow = Selectable<WebhookDeliveryTable>;

/** Attempts stored for a delivery: three days of retries and a redelivery. */
const maxStoredAttempts = 30;

/**
 * The id of an event's delivery to an endpoint, derived from both. If a crash loses an attempt, the next one has the
 * same id, by which the receiver recognises the repeat.
 */
export const deliveryId = (endpointId: string, cursor: string): string => uuidOf(endpointId, cursor);

/** A UUID derived from these names. */
export function uuidOf(...names: string[]): string {
  const hex = hash('sha256', names.join(' '));
  // RFC 9562 has version 8 for UUIDs that an application derives by a method of its own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What receivers see as `webhook-id`. */
export const messageId = (id: string): string => `msg_${id.replaceAll('-', '')}`;

/** The state of a delivery after one attempt. */
export interface DeliveryResult {
  id: string;
  cursor: string | null;
  type: string;
  status: WebhookDeliveryStatus;
  attempt: WebhookAttempt;
  /** When it is retried on its own schedule; null: it is retried in the order of the log, or never. */
  nextInMs: number | null;
}

/** Stores the results of attempts, and adds each attempt to those of its delivery. */
export async function recordDeliveries(db: Db, endpointId: string, results: DeliveryResult[]): Promise<void> {
  if (results.length === 0) return;
  // Whoever asks for a redelivery while an attempt is under way wants another one if this one fails.
  const isRedelivered = sql`excluded.delivered_at is null and webhook_delivery.first_at > excluded.first_at`;
  await sql`
    insert into gateway.webhook_delivery
      (id, endpoint_id, cursor, type, status, attempts, attempt_count, first_at, next_at, delivered_at)
    select (one->>'id')::uuid, ${endpointId}::uuid, (one->>'cursor')::bigint, one->>'type', one->>'status',
      jsonb_build_array(one->'attempt'), 1, (one->'attempt'->>'at')::timestamptz,
      clock_timestamp() + make_interval(secs => (one->>'nextInMs')::double precision / 1000),
      case when one->>'status' = 'DELIVERED' then clock_timestamp() end
    from jsonb_array_elements(${JSON.stringify(results)}::jsonb) as one
    on conflict (id) do update set
      status = case when ${isRedelivered} then webhook_delivery.status else excluded.status end,
      attempts = jsonb_path_query_array(webhook_delivery.attempts || excluded.attempts,
        ${sql.lit(`$[last - ${maxStoredAttempts - 1} to last]`)}::jsonpath),
      attempt_count = webhook_delivery.attempt_count + 1,
      next_at = case when ${isRedelivered} then webhook_delivery.next_at else excluded.next_at end,
      delivered_at = coalesce(excluded.delivered_at, webhook_delivery.delivered_at)`.execute(db);
}

/**
 * Deliveries that are due on their own schedule, in the order of the log. Leaves out one after `cursor`, for which a
 * redelivery was requested while it blocks others: it is sent from the log, and would be in the round twice.
 */
export function dueDeliveries(
  db: Db,
  { id, cursor }: { id: string; cursor: string },
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('endpoint_id', '=', id)
    .where('cursor', '<=', cursor)
    .where('next_at', '<=', sql<Date>`statement_timestamp()`)
    .orderBy('cursor')
    .limit(limit)
    .execute();
}

/** Milliseconds until the next delivery with its own schedule is due; undefined when there is none. */
export async function untilDueDelivery(db: Db, endpointId: string): Promise<number | undefined> {
  const { ms } = await db
    .selectFrom('webhook_delivery')
    .select(sql<number | null>`(extract(epoch from min(next_at) - clock_timestamp()) * 1000)::float`.as('ms'))
    .where('endpoint_id', '=', endpointId)
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return ms === null ? undefined : Math.max(0, Math.ceil(ms));
}

/** Pauses do not grow beyond this many failures. */
const maxFailures = 20;

/** How many deliveries, up to `maxFailures`, have failed since then and wait for a retry on their own schedule. */
export async function failuresSince(db: Db, endpointId: string, since: Date): Promise<number> {
  const failed = await db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('next_at', 'is not', null)
    .where(sql<boolean>`greatest(created_at, (attempts->-1->>'at')::timestamptz) >= ${since}`)
    .limit(maxFailures)
    .execute();
  return failed.length;
}

/** Fails pending deliveries of types that the endpoint no longer wants: later rounds do not read these types. */
export async function failUnwanted(db: Db, endpointId: string, types: readonly string[]): Promise<void> {
  await db
    .updateTable('webhook_delivery')
    .set({ status: 'FAILED', next_at: null })
    .where('endpoint_id', '=', endpointId)
    .where('status', '=', 'PENDING')
    .where('type', 'not in', types)
    .execute();
}

export function findDelivery(db: Db, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('webhook_delivery').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Deliveries to an endpoint after the position `after`, newest first. */
export async function listDeliveries(
  db: Db,
  endpointId: string,
  page: {
    first: number;
    after?: { createdAt: Date; id: string } | undefined;
    status?: WebhookDeliveryStatus | undefined;
  },
): Promise<Page<DeliveryRow>> {
  const { first, after, status } = page;
  let query = db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(first + 1);
  if (status) query = query.where('status', '=', status);
  if (after)
    query = query.where(
      sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`,
    );
  return pageOf(await query.execute(), first);
}

/** Rows in one statement. A longer statement would block other work. */
export const rowsAtOnce = 1_000;

export type DeliveryPosition = Pick<DeliveryRow, 'created_at' | 'id'>;

/** Which deliveries to send again. */
export type RedeliverySelection = { id: string } | { failedSince: Date };

/**
 * Makes deliveries due at once, and restarts their retry time. Leaves out tests and, unless the selection is a single
 * delivery, types that the endpoint no longer wants. Returns the first `rowsAtOnce` that became due, after `last`.
 */
export function makeDue(
  db: Db,
  { id, types }: Pick<EndpointRow, 'id' | 'types'>,
  which: RedeliverySelection,
  last?: DeliveryPosition,
): Promise<DeliveryPosition[]> {
  let chosen = db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('endpoint_id', '=', id)
    .where('cursor', 'is not', null)
    .orderBy('created_at')
    .orderBy('id')
    .limit(rowsAtOnce);
  if ('id' in which) chosen = chosen.where('id', '=', which.id);
  else {
    chosen = chosen.where('status', '=', 'FAILED').where('created_at', '>=', which.failedSince);
    if (types) chosen = chosen.where('type', 'in', types);
  }
  if (last)
    chosen = chosen.where(
      sql<boolean>`(created_at, id) > (${last.created_at}::timestamptz, ${last.id}::uuid)`,
    );
  return db
    .with('due', (cte) =>
      cte
        .updateTable('webhook_delivery')
        .set({ status: 'PENDING', next_at: now, first_at: now })
        .where('id', 'in', chosen)
        .returning(['created_at', 'id']),
    )
    .selectFrom('due')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Drops deliveries older than the retention, except pending ones. */
export function dropOldDeliveries(db: Db, keepMs: number, signal: AbortSignal): Promise<void> {
  return repeatUntilDone(rowsAtOnce, signal, () =>
    sql`
      with old as (
        select id from gateway.webhook_delivery
        where created_at < ${ago(keepMs)} and status <> 'PENDING'
        order by created_at limit ${rowsAtOnce}
        for update skip locked
      )
      delete from gateway.webhook_delivery using old where webhook_delivery.id = old.id
      returning webhook_delivery.id`.execute(db),
  );
}
