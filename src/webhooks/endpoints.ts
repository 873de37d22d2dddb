import type { Address } from '@srr-gateway/common/address';
import { type Selectable, sql, type UpdateObject } from 'kysely';
import { now } from '../store/database-time.ts';
import { LeaseLost } from '../store/due-rows.ts';
import { Signals } from '../store/signals.ts';
import type { Db, Tables, WebhookEndpointTable } from '../store/tables.ts';

export type EndpointRow = Selectable<WebhookEndpointTable>;

/** An endpoint of this issuer; undefined when there is none, or when it belongs to another issuer. */
export function findEndpoint(db: Db, issuer: Address, id: string): Promise<EndpointRow | undefined> {
  return db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('issuer', '=', issuer)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** All endpoints of an issuer, oldest first. Their number is bounded, so there are no pages. */
export function listEndpoints(db: Db, issuer: Address): Promise<EndpointRow[]> {
  return db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('issuer', '=', issuer)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

type Changes = UpdateObject<Tables, 'webhook_endpoint'>;

export async function updateEndpoint(
  db: Db,
  issuer: Address,
  id: string,
  changes: Changes,
): Promise<EndpointRow | undefined> {
  return db
    .updateTable('webhook_endpoint')
    .set(changes)
    .where('issuer', '=', issuer)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteEndpoint(db: Db, issuer: Address, id: string): Promise<void> {
  await db.deleteFrom('webhook_endpoint').where('issuer', '=', issuer).where('id', '=', id).execute();
}

/** The changes that end an endpoint's pause. */
export const tryNow = { attempts: 0, has_more: true, next_at: now };

/** The changes that end an endpoint's pause and forget its failures. */
export const restartNow = { ...tryNow, failing_since: null };

/**
 * Makes every endpoint read its log once: a replica of an older release stores events without waking endpoints.
 */
export async function wakeAll(db: Db): Promise<void> {
  await db
    .updateTable('webhook_endpoint')
    .set({ has_more: true, next_at: now })
    .where('id', 'in', (rows) =>
      rows
        .selectFrom('webhook_endpoint')
        .select('id')
        .where('status', '<>', 'DISABLED')
        .where('attempts', '=', 0)
        .where('has_more', '=', false)
        // Waiting could deadlock with a transaction that stores events. Whoever has locked a row reads its log anyway.
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

export const wakeWorkers = (db: Db): Promise<void> => Signals.send(db, 'due', 'webhook_endpoint');

/**
 * Updates an endpoint while its lease is held. Returns its event types and status after that.
 * @throws LeaseLost when the lease is not held any more, or the endpoint was deleted.
 */
export async function updateLeased(
  db: Db,
  id: string,
  owner: string,
  changes: Changes,
): Promise<Pick<EndpointRow, 'types' | 'status'>> {
  const held = await db
    .updateTable('webhook_endpoint')
    .set(changes)
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning(['types', 'status'])
    .executeTakeFirst();
  if (!held) throw new LeaseLost();
  return held;
}

/** How many endpoints have each status, and for how many seconds the oldest has been due. */
export async function endpointGauges(
  db: Db,
): Promise<{ byStatus: Record<string, number>; oldestDueSeconds: number }> {
  const rows = await db
    .selectFrom('webhook_endpoint')
    .select([
      'status',
      sql<string>`count(*)`.as('count'),
      sql<number | null>`(extract(epoch from clock_timestamp() - min(next_at) filter (
        where lease_until is null or lease_until < clock_timestamp())))::float`.as('age'),
    ])
    .groupBy('status')
    .execute();
  return {
    byStatus: Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
    oldestDueSeconds: Math.max(0, ...rows.map(({ age }) => age ?? 0)),
  };
}
