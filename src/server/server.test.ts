import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { silent } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendJson } from '../lib/send.ts';
import { GatewayResponse, type Hook } from './response.ts';
import { createRouter, type Route, requestListener } from './server.ts';

const says = (method: string, path: string): Route => ({
  method,
  path,
  handle: async (req, res) => sendJson(res, 200, `${req.method} ${path}`),
});

const router = createRouter(
  async (req, res) => sendJson(res, 200, `GraphQL by ${req.method}`),
  [says('GET', '/one'), says('POST', '/one'), says('PUT', '/files/*')],
);
const listener = requestListener([router], silent);
const server = createServer({ ServerResponse: GatewayResponse }, listener);
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server[Symbol.asyncDispose]());

const ask = async (method: string, path: string) => {
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

it.each([
  ['GET', '/one', '"GET /one"'],
  ['POST', '/one?a=b', '"POST /one"'],
  ['PUT', '/files/a/b', '"PUT /files/*"'],
  ['GET', '/graphql?query=/../', '"GraphQL by GET"'],
  ['PUT', '/files/..a/.../b..png', '"PUT /files/*"'],
  ['DELETE', '/graphql', '"GraphQL by DELETE"'],
])('%s %s has its route', async (method, path, said) => {
  expect(await ask(method, path)).toMatchObject({ status: 200, text: said });
});

it('answers HEAD as GET, without the body', async () => {
  const { status, headers, text } = await ask('HEAD', '/one');
  expect([status, text]).toEqual([200, '']);
  expect(headers.get('content-length')).toBe('11');
});

it('says which methods an address takes', async () => {
  const { status, headers, text } = await ask('DELETE', '/one');
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD, POST');
  expect(text).toContain('This address takes GET, HEAD, POST, not DELETE.');
});

it.each(['/', '/one/more', '/files', '/graphql/more', '/health/alive'])('has nothing at %s', async (path) => {
  const { status, text } = await ask('GET', path);
  expect(status).toBe(404);
  expect(text).toContain(path.startsWith('/health') ? '/health/ready' : 'GraphQL is at /graphql');
});

describe('an address that a proxy reads as another path', () => {
  it.each(['//', '//x/one', '//x/graphql', '//x:1@y/one', '//[/'])('is no route: %s', async (path) => {
    const { status, text } = await ask('GET', path);
    expect([status, text]).toEqual([404, expect.stringContaining(`There is nothing at ${path};`)]);
  });

  // `fetch` would not send them.
  it.each([
    '/x\\..\\one',
    '/\\x/one',
    '/one#x',
    '/x/../one',
    '/./one',
    '/x/%2E%2e/one?a=b',
    '/x/.%2e/one',
    '/one/x/..',
    'http://x/x/../one',
  ])('cannot be read: %s', async (path) => {
    const answer = await new Promise<IncomingMessage>((answered) =>
      get({ port: (server.address() as AddressInfo).port, path }, answered),
    );
    expect(answer.statusCode).toBe(400);
    expect(await text(answer)).toContain('The request’s address cannot be read.');
  });
});

it('asks no further hook about a caller that left while one looked it up', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const lookedUp = Promise.withResolvers<void>();
  const reached: string[] = [];
  const hooks: Hook[] = [
    (_req, res) => {
      asked.resolve(res);
      return lookedUp.promise;
    },
    () => void reached.push('the next hook'),
    () => void reached.push('the route'),
  ];
  const server = createServer({ ServerResponse: GatewayResponse }, requestListener(hooks, silent));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /graphql HTTP/1.1\r\nhost: x\r\n\r\n');
  const res = await asked.promise;
  const left = once(res, 'close');
  socket.destroy();
  await left;
  lookedUp.resolve();
  // The hook's own continuation runs before this one.
  await lookedUp.promise;
  await new Promise(setImmediate);
  expect(reached).toEqual([]);
  server.close();
});
