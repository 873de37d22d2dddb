import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { refusals } from '../http/refusals.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Db } from '../store/tables.ts';
import { queueDelivery } from '../webhooks/outbox.ts';
import { delivery, deliveryList, inventedDelivery, listed, listQuery } from './deliveries.ts';
import { deliveryPage } from './delivery-page.ts';

/** Dependencies of the routes of deliveries. */
export interface DeliveryRoutes {
  db: Db;
  /** Called when a delivery may be due. */
  onDeliveries(): void;
}

const tags = ['Test mode'];

/** Registers `/sandbox/deliveries`, as JSON and as a page for people, and the route that sends one again. */
export function deliveryRoutes(server: FastifyInstance, { db, onDeliveries }: DeliveryRoutes): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/sandbox/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        tags,
        summary: 'Webhook deliveries, newest first',
        querystring: listQuery,
        response: {
          200: {
            description: 'JSON, or a page for a browser.',
            content: {
              'application/json': { schema: deliveryList },
              'text/html': { schema: z.string() },
            },
          },
          400: refusals[400],
        },
      },
    },
    async ({ query: { limit, status }, headers }, reply) => {
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
    },
  );

  routes.post(
    '/sandbox/deliveries',
    {
      schema: {
        operationId: 'makeUpDelivery',
        tags,
        summary: 'Queue an invented delivery',
        description: 'Sends an issuer an invented event, which may have an unknown type.',
        body: inventedDelivery,
        response: { 204: z.null().describe('The delivery is queued.'), 400: refusals[400] },
      },
    },
    async ({ body: { issuer, type, data, calledAs } }, reply) => {
      await queueDelivery(db, issuer, type, data, calledAs);
      onDeliveries();
      return reply.code(204).send(null);
    },
  );

  // The button of the page is a form, and browsers name its type although it has no fields.
  server.register(async (forms) => {
    forms.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    forms.withTypeProvider<ZodTypeProvider>().post(
      '/sandbox/deliveries/:id/again',
      {
        schema: {
          operationId: 'deliverAgain',
          tags,
          summary: 'Send a delivery again',
          description: 'The example is the newest delivery. There is none before the first issuance.',
          params: z.object({ id: z.uuid() }),
          response: {
            200: delivery.describe('The delivery, queued again.'),
            400: refusals[400],
            404: refusals[404],
          },
        },
      },
      async ({ params: { id }, headers }, reply) => {
        const row = await db
          .updateTable('delivery')
          .set({ status: 'pending', attempts: 0, next_attempt_at: new Date(0), settled_at: null })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw new ServiceError(404, `there is no delivery ${id}`);
        onDeliveries();
        // Send a browser back to the list.
        if (headers.accept?.includes('text/html')) return reply.redirect('../../deliveries', 303) as never;
        return listed(row);
      },
    );
  });

  async function countByStatus(): Promise<z.infer<typeof deliveryList>['counts']> {
    const rows = await db
      .selectFrom('delivery')
      .select((eb) => ['status', eb.fn.countAll<string>().as('count')])
      .groupBy('status')
      .execute();
    const counts = { pending: 0, delivered: 0, failed: 0, dropped: 0 };
    for (const { status, count } of rows) counts[status] = Number(count);
    return counts;
  }
}
