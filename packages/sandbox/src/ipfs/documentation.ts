import type { FastifySchema } from 'fastify';
import { z } from 'zod';

const refused = (description: string) => ({
  description,
  content: { 'text/plain': { schema: z.string() } },
});

const schema: FastifySchema = {
  operationId: 'readContent',
  tags: ['IPFS gateway'],
  summary: 'Content by its CID',
  // `catch`: validation lets an unknown format pass, because the gateway itself answers it with 406.
  querystring: z.looseObject({
    format: z
      .enum(['raw', 'car'])
      .optional()
      .catch(undefined)
      .describe('Absent: the file itself. Blocks and CARs can be checked by whoever asks.'),
  }),
  response: {
    200: { description: 'The content; immutable.', content: { '*/*': { schema: z.string() } } },
    400: refused('No CID.'),
    404: refused('Not in this gateway.'),
    406: refused('A format that is not served.'),
    504: refused('Not found in time.'),
  },
};

/** The gateway's entry in the OpenAPI document; its answers are bytes. */
export const readContent = { config: { documentedPath: '/ipfs/:cid' }, schema };
