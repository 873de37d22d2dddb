import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enforceZodSchemas } from '../http/zod.ts';
import type { QueryRequest } from './query/execute.ts';
import { subgraphRoutes } from './routes.ts';
import type { Subgraph } from './subgraph.ts';

const requests: QueryRequest[] = [];
/** A subgraph that answers each query with a fixed error, which the route must pass on unchanged. */
const subgraph: Subgraph = {
  deployment: 'QmTest',
  head: () => ({ number: 7, hash: '0xaa', parentHash: '0xbb', timestamp: 1_700_000_000 }),
  query: async (request) => {
    requests.push(request);
    return { errors: [{ message: 'Query timed out' }] };
  },
  setFaults: () => {},
  lastLicensedUserBlock: async () => 1,
  stop: async () => {},
};

let app: FastifyInstance;
let url: string;

beforeAll(async () => {
  app = fastify();
  enforceZodSchemas(app);
  await app.register(subgraphRoutes, { subgraph });
  app.post('/elsewhere', async (request) => request.body);
  url = await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

const post = (body: string, contentType = 'application/json') =>
  fetch(`${url}/subgraph`, { method: 'POST', body, headers: { 'content-type': contentType } });

describe('POST /subgraph', () => {
  it('answers 200 to a failed query, and reports the indexed block', async () => {
    const response = await post('{"query":"{ a }","variables":{"x":1},"operationName":"Q"}');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('graph-indexed')).toBe('{"hash":"0xaa","number":7,"timestamp":1700000000}');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({ errors: [{ message: 'Query timed out' }] });
    expect(requests.at(-1)).toEqual({ query: '{ a }', variables: { x: 1 }, operationName: 'Q' });
  });

  it('reads JSON with any content type', async () => {
    expect((await post('{"query":"{ a }"}', 'text/plain')).status).toBe(200);
  });

  it.each(['', 'nonsense', '{}', '[]', 'null', '{"query":1}'])('refuses the body %j', async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringContaining('"query" field is missing') });
  });

  it('shows a usage text at its address', async () => {
    const response = await fetch(`${url}/subgraph`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await response.text()).toContain(`curl ${url}/subgraph `);
  });

  it('leaves the content types of other routes alone', async () => {
    const response = await fetch(`${url}/elsewhere`, {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toEqual({ a: 1 });
  });
});
