import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { armedFault, faultSchema } from '../faults/fault-schema.ts';
import type { Faults } from '../faults/faults.ts';
import { refusals } from '../http/refusals.ts';

const tags = ['Test mode'];

/** Registers `/sandbox/faults`, which lists, arms and clears faults. */
export function faultRoutes(server: FastifyInstance, { faults }: { faults: Faults }): void {
  const routes = server.withTypeProvider<ZodTypeProvider>();

  routes.get(
    '/sandbox/faults',
    {
      schema: {
        operationId: 'listFaults',
        tags,
        summary: 'List armed faults',
        response: {
          200: z.object({ faults: z.array(armedFault) }).describe('The faults that are not used up.'),
        },
      },
    },
    async () => ({ faults: faults.list() }),
  );

  routes.post(
    '/sandbox/faults',
    {
      schema: {
        operationId: 'armFault',
        tags,
        summary: 'Arm a fault',
        description: 'The fault is injected `times` times; its seed decides on which occasions.',
        body: faultSchema,
        response: { 201: z.object({ id: z.uuid() }).describe('The fault is armed.'), 400: refusals[400] },
      },
    },
    async ({ body }, reply) => reply.code(201).send({ id: faults.arm(body) }),
  );

  routes.delete(
    '/sandbox/faults',
    {
      schema: {
        operationId: 'clearFaults',
        tags,
        summary: 'Clear all faults',
        response: { 204: z.null().describe('No fault is armed.') },
      },
    },
    async (_request, reply) => {
      faults.clear();
      return reply.code(204).send(null);
    },
  );
}
