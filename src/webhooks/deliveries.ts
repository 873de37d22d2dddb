import { createHash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Page, pageOf } from '../model/page.ts';
import type { WebhookAttempt, WebhookDeliveryStatus } from '../model/webhook.ts';
import { ago, now } from '../store/database-time.ts';
import { repeatUntilDone } from '../store/maintenance.ts';
import type { Db, WebhookDeliveryTable } from '../store/tables.ts';
import type { EndpointRow } from './endpoints.ts';

export type DeliveryRow = Selectable<WebhookDeliveryTable>;

/** Attempts that are kept of a delivery: three days of retries and a redelivery. */
const keptAttempts = 30;

/**
 * The id of an event's delivery to an endpoint. It follows from both, so that an attempt after a crash, which
 * forgot the one before, has the same id: a receiver knows a repeat by it.
 */
export const deliveryId = (endpointId: string, cursor: string): string => idOf(endpointId, cursor);

/** A UUID that follows from what it names. */
export function idOf(...named: string[]): string {
  const hex = createHash('sha256').update(named.join(' ')).digest('hex');
  // The version and variant of RFC 9562 for ids of one's own making.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What receivers see as `webhook-id`. */
export const messageId = (id: string): string => `msg_${id.replaceAll('-', '')}`;

/** What one attempt made of a delivery. */
export interface DeliveryResult {
  id: string;
  cursor: string | null;
  type: string;
  status: WebhookDeliveryStatus;
  attempt: WebhookAttempt;
  /** When it is sent again apart from the order; null: with the order, or never. */
  nextInMs: number | null;
}

/** Stores the results of attempts, each added to those that its delivery has. */
export async function recordDeliveries(db: Db, endpointId: string, results: DeliveryResult[]): Promise<void> {
  if (results.length === 0) return;
  await sql`
    insert into gateway.webhook_delivery
      (id, endpoint_id, cursor, type, status, attempts, attempt_count, first_at, next_at, delivered_at)
    select (one->>'id')::uuid, ${endpointId}::uuid, (one->>'cursor')::bigint, one->>'type', one->>'status',
      jsonb_build_array(one->'attempt'), 1, (one->'attempt'->>'at')::timestamptz,
      clock_timestamp() + make_interval(secs => (one->>'nextInMs')::double precision / 1000),
      case when one->>'status' = 'DELIVERED' then clock_timestamp() end
    from jsonb_array_elements(${JSON.stringify(results)}::jsonb) as one
    on conflict (id) do update set
      status = excluded.status,
      attempts = jsonb_path_query_array(webhook_delivery.attempts || excluded.attempts,
        ${sql.lit(`$[last - ${keptAttempts - 1} to last]`)}::jsonpath),
      attempt_count = webhook_delivery.attempt_count + 1,
      next_at = excluded.next_at,
      delivered_at = coalesce(excluded.delivered_at, webhook_delivery.delivered_at)`.execute(db);
}

/**
 * Deliveries that are due apart from the order, in the order of the log. One after `cursor` was asked for again
 * while it holds up others: it is sent in its place, and would be twice in the round.
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

/** Milliseconds until the next such delivery is due; undefined when there is none. */
export async function untilDueDelivery(db: Db, endpointId: string): Promise<number | undefined> {
  const { ms } = await db
    .selectFrom('webhook_delivery')
    .select(sql<number | null>`(extract(epoch from min(next_at) - clock_timestamp()) * 1000)::float`.as('ms'))
    .where('endpoint_id', '=', endpointId)
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return ms === null ? undefined : Math.max(0, Math.ceil(ms));
}

/** Beyond so many failures no pause grows. */
const mostFailures = 20;

/** How many deliveries have failed since then and wait for their own schedule. */
export async function failuresSince(db: Db, endpointId: string, since: Date): Promise<number> {
  const failed = await db
    .selectFrom('webhook_delivery')
    .select('id')
    .where('endpoint_id', '=', endpointId)
    .where('next_at', 'is not', null)
    .where(sql<boolean>`greatest(created_at, (attempts->-1->>'at')::timestamptz) >= ${since}`)
    .limit(mostFailures)
    .execute();
  return failed.length;
}

/** Ends what waits of types that the endpoint does not want any more: the log is read without them from now on. */
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

/** Deliveries to an endpoint, newest first, from where `after` stands in the list. */
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

/** Which deliveries to send again. */
export type Redelivered = { id: string } | { failedSince: Date };

/**
 * Makes deliveries due at once, with all their time before them. Tests are not sent again, and of many none of a type
 * that the endpoint does not want any more. Returns how many.
 */
export async function makeDue(
  db: Db,
  { id, types }: Pick<EndpointRow, 'id' | 'types'>,
  which: Redelivered,
): Promise<number> {
  let query = db
    .updateTable('webhook_delivery')
    .set({
      status: 'PENDING',
      next_at: now,
      first_at: now,
    })
    .where('endpoint_id', '=', id)
    .where('cursor', 'is not', null);
  if ('id' in which) query = query.where('id', '=', which.id);
  else {
    query = query.where('status', '=', 'FAILED').where('created_at', '>=', which.failedSince);
    if (types) query = query.where('type', 'in', types);
  }
  const { numUpdatedRows } = await query.executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Rows in one statement, so that it is short enough not to hold up other work. */
const atOnce = 1_000;

/** Drops deliveries older than the retention. One that is still to be sent stays. */
export function dropOldDeliveries(db: Db, keepMs: number, signal: AbortSignal): Promise<void> {
  return repeatUntilDone(atOnce, signal, () =>
    sql`
      with old as (
        select id from gateway.webhook_delivery
        where created_at < ${ago(keepMs)} and status <> 'PENDING'
        order by created_at limit ${atOnce}
        for update skip locked
      )
      delete from gateway.webhook_delivery using old where webhook_delivery.id = old.id
      returning webhook_delivery.id`.execute(db),
  );
}
