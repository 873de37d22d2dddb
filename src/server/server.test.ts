import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Logger } from '@srr-gateway/common/log';
import { silent } from '@srr-gateway/common/testing/database';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sendJson } from '../lib/send.ts';
import { GatewayResponse, type Hook, whenCallerLeaves } from './response.ts';
import { createRouter, type Route, requestListener } from './server.ts';

const routeOf = (method: string, path: string): Route => ({
  method,
  path,
  handle: async (req, res) => sendJson(res, 200, `${req.method} ${path}`),
});

const router = createRouter(
  async (req, res) => sendJson(res, 200, `GraphQL by ${req.method}`),
  [
    routeOf('GET', '/one'),
    routeOf('POST', '/one'),
    routeOf('PUT', '/files/*'),
    {
      method: 'GET',
      path: '/fails-half-way',
      handle: async (_req, res) => {
        res.writeHead(200).write('half');
        throw new Error('a bug');
      },
    },
  ],
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
])('%s %s reaches its route', async (method, path, said) => {
  expect(await ask(method, path)).toMatchObject({ status: 200, text: said });
});

it('HEAD gets the response to GET without the body', async () => {
  const { status, headers, text } = await ask('HEAD', '/one');
  expect([status, text]).toEqual([200, '']);
  expect(headers.get('content-length')).toBe('11');
});

it('a response that fails half-way is cut off', async () => {
  await expect(ask('GET', '/fails-half-way')).rejects.toThrow('terminated');
});

it('the failure of a route whose caller has left is not logged as an error', async () => {
  const log = { debug: vi.fn(), error: vi.fn() };
  const left = Promise.withResolvers<void>();
  const cancelled = async (_req: IncomingMessage, res: ServerResponse) => {
    socket.destroy();
    await once(whenCallerLeaves(res), 'abort');
    setImmediate(left.resolve);
    throw new Error('cancelled');
  };
  const lone = createServer(
    { ServerResponse: GatewayResponse },
    requestListener([cancelled], log as unknown as Logger),
  );
  onTestFinished(() => lone[Symbol.asyncDispose]());
  await once(lone.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((lone.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await left.promise;
  expect(log.debug).toHaveBeenCalled();
  expect(log.error).not.toHaveBeenCalled();
});

it('the connection of a refused request is cut when its body does not end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('PUT /nothing HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na');
  expect(String((await once(socket, 'data'))[0])).toContain(' 404 ');
  const closed = once(socket, 'close');
  vi.advanceTimersByTime(10_000);
  await closed;
});

it('another method is answered with 405 and the methods that the path accepts', async () => {
  const { status, headers, text } = await ask('DELETE', '/one');
  expect(status).toBe(405);
  expect(headers.get('allow')).toBe('GET, HEAD, POST');
  expect(text).toContain('This address takes GET, HEAD, POST, not DELETE.');
});

it.each(['/', '/one/more', '/files', '/graphql/more', '/health/alive'])(
  '%s is answered with 404',
  async (path) => {
    const { status, text } = await ask('GET', path);
    expect(status).toBe(404);
    expect(text).toContain(path.startsWith('/health') ? '/health/ready' : 'GraphQL is at /graphql');
  },
);

describe('a URL that a proxy may read as another path', () => {
  it.each(['//', '//x/one', '//x/graphql', '//x:1@y/one', '//[/'])(
    'is answered with 404: %s',
    async (path) => {
      const { status, text } = await ask('GET', path);
      expect([status, text]).toEqual([404, expect.stringContaining(`There is nothing at ${path};`)]);
    },
  );

  // `fetch` would normalise these URLs.
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
  ])('is answered with 400: %s', async (path) => {
    const answer = await new Promise<IncomingMessage>((answered) =>
      get({ port: (server.address() as AddressInfo).port, path }, answered),
    );
    expect(answer.statusCode).toBe(400);
    expect(await text(answer)).toContain('The request’s address cannot be read.');
  });
});

it('a Host header that is no host is answered with 400', async () => {
  const answer = await new Promise<IncomingMessage>((answered) =>
    get({ port: (server.address() as AddressInfo).port, path: '/one', headers: { host: 'a b' } }, answered),
  );
  expect([answer.statusCode, await text(answer)]).toEqual([
    400,
    expect.stringContaining('The Host header is no host.'),
  ]);
});

it('no further hook runs for a caller that disconnected during an asynchronous hook', async () => {
  const called = Promise.withResolvers<ServerResponse>();
  const lookedUp = Promise.withResolvers<void>();
  const reached: string[] = [];
  const hooks: Hook[] = [
    (_req, res) => {
      called.resolve(res);
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
  const res = await called.promise;
  const left = once(res, 'close');
  socket.destroy();
  await left;
  lookedUp.resolve();
  // The server continues after the hook before this line continues.
  await lookedUp.promise;
  await new Promise(setImmediate);
  expect(reached).toEqual([]);
  server.close();
});
