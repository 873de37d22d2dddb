import { sleep } from '@srr-gateway/common/time';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { FaultOf } from '../faults/fault-schema.ts';
import type { Faults } from '../faults/faults.ts';
import { queryErrors } from './query/errors.ts';
import type { Subgraph } from './subgraph.ts';

/** Optional fields of a wrong type are ignored. */
const queryRequest = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish().catch(null),
  operationName: z.string().nullish().catch(null),
});

const queryAnswer = z
  .object({ data: z.unknown().optional(), errors: z.array(z.unknown()).optional() })
  .describe('Data, errors, or both.');
const noQuery = 'GraphQL server error (client error): The "query" field is missing in request data';

/** Serves `POST /subgraph`. Like graph-node it answers 200 to every query, even to one that fails. */
export async function subgraphRoutes(
  app: FastifyInstance,
  { subgraph, faults }: { subgraph: Subgraph; faults?: Faults },
): Promise<void> {
  // Parse every body as JSON, because clients send queries with various content types.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, parsed(`${body}`)),
  );

  app.get('/subgraph', { schema: { hide: true } }, async ({ host, protocol }, reply) =>
    withHeaders(reply)
      .type('text/plain; charset=utf-8')
      .send(howToAsk(`${protocol}://${host}/subgraph`)),
  );
  app.options('/subgraph', (_request, reply) => withHeaders(reply).status(200).send(''));

  const schema = {
    operationId: 'querySubgraph',
    tags: ['Subgraph'],
    summary: 'Query the subgraph',
    description: 'GraphQL in the dialect of graph-node. Answers 200 to every query, even to one that fails.',
    body: queryRequest,
    response: {
      200: queryAnswer,
      400: z.object({ error: z.literal(noQuery) }).describe('The request has no query.'),
      502: {
        description: 'The proxy in front of the subgraph failed.',
        content: { 'text/html': { schema: z.string() } },
      },
    },
  };
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post('/subgraph', { schema, attachValidation: true }, async (request, reply) => {
    if (request.validationError) return withHeaders(reply).status(400).send({ error: noQuery });
    const query = request.body;
    const fault = faults?.consume('query', () => true);
    if (fault?.effect === 'late') await sleep(fault.delayMs);
    if (fault?.effect === 'drop') {
      reply.hijack().raw.destroy();
      return reply;
    }
    if (fault?.effect === '502') return withHeaders(reply).status(502).type('text/html').send(badGateway);
    const head = subgraph.head();
    const indexed = head && { hash: head.hash, number: head.number, timestamp: head.timestamp };
    const message = fault && errorOf(fault);
    const answer = message === undefined ? await subgraph.query(query) : { errors: [{ message }] };
    return withHeaders(reply)
      .header('graph-indexed', JSON.stringify(indexed ?? null))
      .send(answer);
  });
}

/** Help text for a person who opens the address in a browser. */
const howToAsk = (
  address: string,
) => `This is a subgraph: send it GraphQL by POST, in the dialect of graph-node.

  curl ${address} -H 'content-type: application/json' \\
    -d '{"query":"{ srrs(first: 3) { id tokenId ownerAddress } _meta { block { number } } }"}'

You can also try it at /docs/.
`;

/** HTML, because the proxy in front of a hosted subgraph makes this answer, not graph-node. */
const badGateway = '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>\n';

function errorOf({ effect }: FaultOf<'query'>): string | undefined {
  switch (effect) {
    case 'timeout':
      return queryErrors.timeout().message;
    case 'overloaded':
      return queryErrors.overloaded().message;
    case 'reorganised':
      return queryErrors.reorganised().message;
    case 'store':
      return queryErrors.store().message;
    default:
      return undefined;
  }
}

function withHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-headers', 'Content-Type, User-Agent')
    .header('access-control-allow-methods', 'GET, OPTIONS, POST');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
