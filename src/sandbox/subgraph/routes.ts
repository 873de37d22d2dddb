import type { FastifyInstance, FastifyReply } from 'fastify';
import { sleep } from '../../lib/time.ts';
import type { FaultOf } from '../control/fault-schema.ts';
import type { Faults } from '../control/faults.ts';
import { queryErrors } from './query/errors.ts';
import type { QueryRequest } from './query/execute.ts';
import type { Subgraph } from './subgraph.ts';

/** Serves `POST /subgraph`. Like a live index it answers 200 to every query, also to one that fails. */
export async function subgraphRoutes(
  app: FastifyInstance,
  { subgraph, faults }: { subgraph: Subgraph; faults?: Faults },
): Promise<void> {
  // Clients send queries under several content types; the body is JSON whatever it is called.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));

  app.options('/subgraph', (_request, reply) => withHeaders(reply).status(200).send(''));

  app.post('/subgraph', async (request, reply) => {
    const query = readRequest(request.body);
    if (!query) {
      return withHeaders(reply)
        .status(400)
        .send({ error: 'GraphQL server error (client error): The "query" field is missing in request data' });
    }
    const fault = faults?.strike('query', () => true);
    if (fault?.effect === 'late') await sleep(fault.delayMs);
    if (fault?.effect === 'drop') return reply.hijack().raw.destroy();
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

/** What stands in front of a hosted index answers in its own form. */
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

function readRequest(body: unknown): QueryRequest | undefined {
  try {
    const { query, variables, operationName } = JSON.parse(String(body)) as Partial<QueryRequest>;
    if (typeof query !== 'string') return undefined;
    return {
      query,
      variables: typeof variables === 'object' ? variables : null,
      operationName: typeof operationName === 'string' ? operationName : null,
    };
  } catch {
    return undefined;
  }
}
