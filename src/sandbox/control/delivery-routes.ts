import type { FastifyInstance } from 'fastify';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { ServiceError } from '../http/service-error.ts';
import type { Db, DeliveryTable } from '../store/tables.ts';
import { deliveryPage } from './delivery-page.ts';
import { readControl } from './knobs.ts';

export interface DeliveryRoutes {
  db: Db;
  /** There may be something to deliver. */
  onDeliveries(): void;
}

/** A webhook POST as `GET /sandbox/deliveries` lists it. */
export type ListedDelivery = ReturnType<typeof listed>;

const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  status: z.enum(['pending', 'delivered', 'failed', 'dropped']).optional(),
});

/** What was delivered and what was not: as JSON, and as a page for people. */
export function deliveryRoutes(server: FastifyInstance, { db, onDeliveries }: DeliveryRoutes): void {
  server.get('/sandbox/deliveries', async ({ query, headers }, reply) => {
    const { limit, status } = readControl(listQuery, query);
    const rows = await db
      .selectFrom('delivery')
      .selectAll()
      .$if(status !== undefined, (list) => list.where('status', '=', status ?? 'pending'))
      .orderBy('created_at', 'desc')
      .limit(limit)
      .execute();
    const deliveries = rows.map(listed);
    const counts = await countByStatus();
    reply.header('vary', 'Accept');
    if (!headers.accept?.includes('text/html')) return { counts, deliveries };
    return reply.type('text/html; charset=utf-8').send(deliveryPage(counts, deliveries));
  });

  server.post('/sandbox/deliveries/:id/again', async ({ params }) => {
    const { id } = readControl(z.object({ id: z.uuid() }), params);
    const row = await db
      .updateTable('delivery')
      .set({ status: 'pending', attempts: 0, next_attempt_at: new Date(0), settled_at: null })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw new ServiceError(404, `there is no delivery ${id}`);
    onDeliveries();
    return listed(row);
  });

  async function countByStatus(): Promise<Record<string, number>> {
    const rows = await db
      .selectFrom('delivery')
      .select((eb) => ['status', eb.fn.countAll<string>().as('count')])
      .groupBy('status')
      .execute();
    const none = { pending: 0, delivered: 0, failed: 0, dropped: 0 };
    return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])) };
  }
}

function listed(row: Selectable<DeliveryTable>) {
  return {
    id: row.id,
    issuer: row.issuer,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    lastStatus: row.last_status,
    lastError: row.last_error,
    tries: row.tries,
    createdAt: row.created_at,
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at : null,
    settledAt: row.settled_at,
    body: JSON.parse(row.body) as { type: string; data: Record<string, unknown>[] },
  };
}
