import type { FastifyInstance, FastifyReply } from 'fastify';
import type { QueryRequest } from './query/execute.ts';
import type { Subgraph } from './subgraph.ts';

/** Serves `POST /subgraph`. Like a live index it answers 200 to every query, also to one that fails. */
export async function subgraphRoutes(
  app: FastifyInstance,
  { subgraph }: { subgraph: Subgraph },
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
    const head = subgraph.head();
    const indexed = head && { hash: head.hash, number: head.number, timestamp: head.timestamp };
    const answer = await subgraph.query(query);
    return withHeaders(reply)
      .header('graph-indexed', JSON.stringify(indexed ?? null))
      .send(answer);
  });
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
