import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { postQuery } from '../_util/graphql-caller.ts';
import { type LoneGateway, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';

let gateway: LoneGateway;
/** One whose requests end soon, unlike its upstream calls. */
let hurried: LoneGateway;
/** A service that takes every request and never answers. */
let silentService: Server;
/** The open upstream calls on behalf of callers, without those that the gateway makes by itself. */
let waiting = 0;
const asksForItself = (question: string) =>
  question.includes('query Meta') || question.includes('"collection":null');

beforeAll(async () => {
  silentService = createServer(async (req, res) => {
    if (asksForItself(await text(req).catch(() => ''))) return;
    waiting++;
    res.once('close', () => waiting--);
  });
  await new Promise<void>((listening) => silentService.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(silentService.address() as AddressInfo).port}`;
  gateway = await startLoneGateway();
  hurried = await startLoneGateway({
    REQUEST_TIMEOUT: '1',
    // Longer than any wait here, so that only the deadline of a request ends its calls.
    SUBGRAPH_TIMEOUT: '60',
    SUBGRAPH_URL: url,
  });
});
afterAll(async () => {
  await gateway?.stop();
  await hurried?.stop();
  silentService.closeAllConnections();
  silentService.close();
});

it('an idle connection is kept for longer than load balancers keep theirs', async () => {
  const { headers } = await postQuery(gateway.address, '{ __typename }');
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

it('a complete multipart/mixed response is not chunked', async () => {
  const answer = await postQuery(gateway.address, '{ __typename }', { accept: 'multipart/mixed' });
  expect(answer.headers.get('content-type')).toContain('multipart/mixed');
  expect(answer.headers.get('transfer-encoding')).toBeNull();
  expect(await answer.text()).toContain('{"data":{"__typename":"Query"}}');
});

it.each([
  ['/graphql', { authorization: `Bearer ${loneToken}` }],
  ['/graphql', {}],
  ['/mcp', {}],
])('a compressed request body is refused with advice: %s', async (path, headers) => {
  const answer = await fetch(gateway.address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers },
    body: gzipSync('{"query":"{ __typename }"}'),
  });
  expect([answer.status, await answer.text()]).toEqual([
    415,
    expect.stringContaining('Send the body uncompressed, without Content-Encoding.'),
  ]);
});

it.each(['/graphql?query={__typename}', '/records/1', '/uploads/artwork/a.png'])(
  'an invalid token gets WWW-Authenticate: %s',
  async (path) => {
    const refused = await fetch(gateway.address + path, { headers: { authorization: 'Bearer made-up' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  },
);

describe('compression', () => {
  const typesOf = '{ __schema { types { name kind description } } }';
  const token = { authorization: `Bearer ${loneToken}` };

  it.each([
    ['GraphQL for an anonymous caller', `/graphql?query=${encodeURIComponent(typesOf)}`, {}],
    ['GraphQL for an issuer', `/graphql?query=${encodeURIComponent(typesOf)}`, token],
    ['GraphiQL', '/graphql', { accept: 'text/html' }],
    ['the metrics', '/metrics', {}],
  ])('applies to every long text: %s', async (_what, path, headers: Record<string, string>) => {
    for (const [accepted, coding] of [
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['identity', null],
    ] as const) {
      const answer = await fetch(gateway.app.url + path, {
        headers: { ...headers, 'accept-encoding': accepted },
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('vary')).toContain('accept-encoding');
      expect((await answer.text()).length).toBeGreaterThan(1_000);
    }
  });

  it('does not apply to short responses or event streams', async () => {
    const short = await postQuery(gateway.app.url, '{ __typename }', { 'accept-encoding': 'gzip' });
    expect(short.headers.get('content-encoding')).toBeNull();
    const leaving = new AbortController();
    const stream = await postQuery(
      gateway.app.url,
      'subscription { events { cursor } }',
      { ...token, accept: 'text/event-stream', 'accept-encoding': 'gzip' },
      leaving.signal,
    );
    expect(stream.headers.get('content-encoding')).toBe('none');
    leaving.abort();
  });
});

describe('a request that waits for a source', () => {
  it.each([
    ['application/json', 200],
    ['application/graphql-response+json', 504],
  ])(
    'ends at its deadline with a typed error, and cancels its upstream calls: %s',
    async (accept, status) => {
      const startedAt = Date.now();
      const answer = await postQuery(hurried.address, '{ srrs { edges { cursor } } }', { accept });
      expect(Date.now() - startedAt).toBeLessThan(8_000);
      expect(answer.status).toBe(status);
      expect(JSON.stringify(await answer.json())).toContain('UPSTREAM_TIMEOUT');
      await expect.poll(() => waiting).toBe(0);
    },
  );

  it.each([
    ['an anonymous caller', '{ srrs { edges { cursor } } }', {}],
    ['an issuer', '{ viewer { licensedUser { address } } }', { authorization: `Bearer ${loneToken}` }],
  ])('is cancelled when its caller leaves: %s', async (_who, query, headers) => {
    // Its own time-outs are too long to end the calls in this test.
    const patient = await startLoneGateway({
      SUBGRAPH_URL: `http://127.0.0.1:${(silentService.address() as AddressInfo).port}`,
      SUBGRAPH_TIMEOUT: '60',
      REQUEST_TIMEOUT: '60',
    });
    onTestFinished(() => patient.stop());
    const leaving = new AbortController();
    const response = postQuery(patient.app.url, query, headers, leaving.signal).catch(() => {});
    await expect.poll(() => waiting).toBeGreaterThan(0);
    leaving.abort();
    await response;
    await expect.poll(() => waiting).toBe(0);
  });
});

describe('a malicious request', () => {
  async function raw(request: string): Promise<string> {
    const socket: Socket = connect(Number(new URL(gateway.app.url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(request);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    await once(socket, 'close');
    return answer;
  }

  it('with headers that are too long gets 431', async () => {
    const answer = await raw(`GET /graphql HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    ['two lengths', 'content-length: 5\r\ncontent-length: 6'],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked'],
    ['a malformed length', 'content-length: +5'],
  ])('that tries smuggling by %s gets 400', async (_what, headers) => {
    const answer = await raw(
      `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n\r\nhello`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});
