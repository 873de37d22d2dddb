import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { makeToken } from '../src/access/stored-tokens.ts';
import { openTables } from '../src/store/store.ts';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from './_util/lone-gateway.ts';
import { postMcp } from './_util/mcp-client.ts';
import { metric } from './_util/metrics.ts';
import { waitForFreshMinute } from './_util/rate-limit-minute.ts';

let gateway: LoneGateway;
let other: LoneGateway;
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
  other = await startLoneGateway({
    CORS_ORIGINS: 'https://shop.example,https://admin.example',
    PUBLIC_URL: 'https://gateway.example',
    RATE_LIMIT: '20',
    MAX_STREAMS: '3',
    TRUSTED_PROXIES: '1',
    REQUEST_TIMEOUT: '1',
    // Longer than any wait here, so that only the deadline of a request ends its calls.
    SUBGRAPH_TIMEOUT: '60',
    COMMERCE_URL: url,
    SUBGRAPH_URL: url,
  });
});
afterAll(async () => {
  await gateway?.stop();
  await other?.stop();
  silentService.closeAllConnections();
  silentService.close();
});

/** Where `other` listens, which is not its PUBLIC_URL. */
const otherUrl = () => other.address;

function ask(url: string, query: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
    ...(signal && { signal }),
  });
}

it('an idle connection is kept for longer than load balancers keep theirs', async () => {
  const { headers } = await ask(gateway.address, '{ __typename }');
  expect(headers.get('keep-alive')).toBe('timeout=75');
});

it('a complete multipart/mixed response is not chunked', async () => {
  const answer = await ask(gateway.address, '{ __typename }', { accept: 'multipart/mixed' });
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

describe('the security headers', () => {
  it.each(['/graphql?query={__typename}', '/health/live', '/nothing-here'])(
    'forbid type sniffing and framing in every response (%s)',
    async (path) => {
      const { headers } = await fetch(gateway.app.url + path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('x-powered-by') || headers.has('server')).toBe(false);
    },
  );

  it('include HSTS if PUBLIC_URL is https', async () => {
    const { headers } = await fetch(`${otherUrl()}/health/live`);
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe('pages of other origins', () => {
  const requestedHeaders =
    'authorization,baggage,traceparent,apollographql-client-name,apollographql-client-version,x-of-somebody';
  const preflight = (url: string, origin: string, path = '/graphql') =>
    fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': requestedHeaders,
      },
    });

  it.each(['/graphql', '/uploads/artwork/a.png'])('may all call by default (%s)', async (path) => {
    const { status, headers } = await preflight(gateway.app.url, 'https://anybody.example', path);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(headers.get('access-control-allow-headers')).toBe(requestedHeaders);
    expect(headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(headers.get('access-control-max-age')).toBe('86400');
    expect(headers.get('vary')).toContain('access-control-request-headers');
    // With this header a page could act with the credentials of its reader.
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('may read the headers about caching, paging, budgets, retries and request ids', async () => {
    const { headers } = await ask(gateway.app.url, '{ __typename }', { origin: 'https://anybody.example' });
    expect(headers.get('access-control-expose-headers')?.split(', ')).toEqual([
      'cache-status',
      'content-range',
      'etag',
      'link',
      'location',
      'ratelimit',
      'ratelimit-policy',
      'retry-after',
      'x-request-id',
    ]);
  });

  it('may call only if CORS_ORIGINS lists them', async () => {
    const yes = await preflight(otherUrl(), 'https://shop.example');
    expect(yes.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    for (const origin of [
      'https://evil.example',
      'https://shop.example.evil.example',
      'http://shop.example',
      'null',
    ]) {
      const no = await preflight(otherUrl(), origin);
      expect([...no.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      const answer = await ask(otherUrl(), '{ __typename }', { origin });
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
      expect(answer.headers.get('vary')).toContain('origin');
      const other = await fetch(`${otherUrl()}/health/live`, { headers: { origin } });
      expect(other.headers.get('vary')).toBe('origin');
    }
  });

  it('may open a WebSocket only if listed, although browsers send no preflight for it', async () => {
    const statusFor = async (url: string, origin: string | undefined) => {
      const headers = origin === undefined ? {} : { origin };
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers,
      });
      onTestFinished(() => socket.on('error', () => {}).terminate());
      const [answer] = await Promise.race([
        once(socket, 'upgrade'),
        once(socket, 'unexpected-response').then(([, refused]) => [refused]),
      ]);
      return answer.statusCode;
    };
    for (const origin of ['https://evil.example', 'http://shop.example', 'null'])
      expect([origin, await statusFor(otherUrl(), origin)]).toEqual([origin, 403]);
    for (const origin of [undefined, 'https://shop.example', otherUrl()])
      expect([origin, await statusFor(otherUrl(), origin)]).toEqual([origin, 101]);
    expect(await statusFor(gateway.app.url, 'https://anybody.example')).toBe(101);
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'query=%7B__typename%7D'],
    ['a file form', 'multipart/form-data; boundary=x', '--x--'],
    ['plain text', 'text/plain', '{"query":"{ __typename }"}'],
  ])('cannot send %s without a preflight', async (_what, type, body) => {
    const post = (headers: Record<string, string>) =>
      fetch(`${gateway.app.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': type, ...headers },
        body,
      });
    const refused: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
    ];
    for (const headers of refused) {
      const answer = await post(headers);
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain('apollo-require-preflight');
    }
    // Not from a browser, from the gateway's own page, or with a header that forces a preflight.
    const taken: Record<string, string>[] = [
      {},
      { origin: gateway.app.url },
      { origin: 'https://a.example', 'apollo-require-preflight': '1' },
    ];
    for (const headers of taken) expect((await post(headers)).status).not.toBe(403);
  });
});

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
    const short = await ask(gateway.app.url, '{ __typename }', { 'accept-encoding': 'gzip' });
    expect(short.headers.get('content-encoding')).toBeNull();
    const leaving = new AbortController();
    const stream = await ask(
      gateway.app.url,
      'subscription { events { cursor } }',
      { ...token, accept: 'text/event-stream', 'accept-encoding': 'gzip' },
      leaving.signal,
    );
    expect(stream.headers.get('content-encoding')).toBe('none');
    leaving.abort();
  });
});

describe('a caller that sends too many requests', () => {
  const from = (address: string) => ({ 'x-forwarded-for': `10.0.0.1, ${address}` });

  it('gets 429 with Retry-After once its budget is spent, without affecting others', async () => {
    const first = await ask(otherUrl(), '{ __typename }', from('192.0.2.1'));
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"minute";q=20;w=60(, |$)/);
    expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=19;t=\d+(, |$)/);
    let last = first;
    for (let n = 0; n < 25 && last.status === 200; n++)
      last = await ask(otherUrl(), '{ __typename }', from('192.0.2.1'));
    expect(last.status).toBe(429);
    const retryAfter = Number(last.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(await last.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter } }],
    });
    expect((await ask(otherUrl(), '{ __typename }', from('192.0.2.2'))).status).toBe(200);
    // Probes do not count.
    expect((await fetch(`${otherUrl()}/health/live`, { headers: from('192.0.2.1') })).status).toBe(200);
  });

  it('gets no new budget by forging X-Forwarded-For, or by another address in its network', async () => {
    const codes = [];
    for (let n = 0; n < 25; n++)
      codes.push(
        (
          await ask(otherUrl(), '{ __typename }', {
            'x-forwarded-for': `198.51.100.${n}, 2001:db8:1:2::${n}`,
          })
        ).status,
      );
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
  });

  it('gets no new budget by another port or a malformed address', async () => {
    const codes = [];
    for (let n = 0; n < 25; n++)
      codes.push((await ask(otherUrl(), '{ __typename }', from(`192.0.2.77:${5_000 + n}`))).status);
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
    const nonsense = [];
    for (let n = 0; n < 25; n++)
      nonsense.push((await ask(otherUrl(), '{ __typename }', from(`009.9.9.${n}`))).status);
    expect(nonsense).toContain(429);
  });

  it('gets no new budget by made-up tokens, while a valid token has its own', async () => {
    const codes = [];
    for (let n = 0; n < 25; n++)
      codes.push(
        (
          await ask(otherUrl(), '{ __typename }', {
            ...from('192.0.2.9'),
            authorization: `Bearer guess-${n}`,
          })
        ).status,
      );
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(codes.slice(20)).toEqual(Array(5).fill(429));
    const token = { authorization: 'Bearer lone-token-all-scopes' };
    expect((await ask(otherUrl(), '{ viewer { issuer } }', { ...from('192.0.2.10'), ...token })).status).toBe(
      200,
    );
    expect((await ask(otherUrl(), '{ viewer { issuer } }', { ...from('192.0.2.9'), ...token })).status).toBe(
      200,
    );
  });
});

describe('a token whose address has no budget left', () => {
  const address = { 'x-forwarded-for': '192.0.2.30' };
  const viewer = '{ viewer { issuer } }';
  const refusals = () => metric(otherUrl(), 'srr_budget_refusals_total', { budget: 'requests' });

  beforeAll(async () => {
    await waitForFreshMinute();
    for (let n = 0; n < 20; n++) await ask(otherUrl(), '{ __typename }', address);
    expect((await ask(otherUrl(), '{ __typename }', address)).status).toBe(429);
  });

  it.each(['of the configuration', 'of the store'])(
    'has a budget of its own from its first request on: one %s',
    async (kind) => {
      const db = await openTables(other.database);
      const issuer = parseAddress(loneIssuer) as Address;
      const { token } =
        kind === 'of the store'
          ? await makeToken(db, { issuer, scopes: ['read'], note: 'a neighbour of a flood' })
          : { token: 'lone-token-read' };
      const before = await refusals();
      const { status } = await ask(otherUrl(), viewer, { ...address, authorization: `Bearer ${token}` });
      expect(status).toBe(200);
      expect(await refusals()).toBe(before);
    },
  );

  it('has a budget of its own on a WebSocket, too, if it comes in the first message', async () => {
    class Forwarded extends WebSocket {
      constructor(url: string, protocol: string) {
        super(url, protocol, { headers: address });
      }
    }
    const over = async (connectionParams: Record<string, string>) => {
      const client = createClient({
        url: `${otherUrl().replace('http', 'ws')}/graphql`,
        webSocketImpl: Forwarded,
        connectionParams,
      });
      try {
        const { value } = await client.iterate({ query: viewer }).next();
        return value?.data;
      } catch (errors) {
        return errors;
      } finally {
        await client.dispose();
      }
    };
    const before = await refusals();
    const [refused] = (await over({})) as [{ extensions: { code: string; retryAfter: number } }];
    expect(refused.extensions.code).toBe('RATE_LIMITED');
    expect(refused.extensions.retryAfter).toBeGreaterThan(0);
    expect(refused.extensions.retryAfter).toBeLessThanOrEqual(60);
    expect(await refusals()).toBe(before + 1);
    expect(await over({ authorization: 'Bearer lone-token-upload' })).toEqual({
      viewer: { issuer: loneIssuer },
    });
    expect(await refusals()).toBe(before + 1);
  });

  it.each<[string, (headers: Record<string, string>) => Promise<Response>]>([
    ['GraphQL', (headers) => ask(otherUrl(), viewer, headers)],
    ['an event stream', (headers) => ask(otherUrl(), viewer, { ...headers, accept: 'text/event-stream' })],
    ['plain HTTP', (headers) => fetch(`${otherUrl()}/records`, { headers })],
    ['a message of an agent', (headers) => postMcp(otherUrl(), '{}', headers)],
    ['a file', (headers) => fetch(`${otherUrl()}/uploads/any`, { method: 'PUT', body: 'x', headers })],
  ])('is counted once for each refusal if it is missing or made up: %s', async (_, send) => {
    const before = await refusals();
    expect((await send(address)).status).toBe(429);
    expect(await refusals()).toBe(before + 1);
    expect((await send({ ...address, authorization: 'Bearer made-up' })).status).toBe(429);
    expect(await refusals()).toBe(before + 2);
  });

  it('has no budget of its own if it is made up', async () => {
    for (const token of ['srr_made-up', 'made-up'])
      expect((await ask(otherUrl(), viewer, { ...address, authorization: `Bearer ${token}` })).status).toBe(
        429,
      );
  });
});

describe('streams and sockets that stay open', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const feed = 'subscription { events { cursor } }';
  const token = { authorization: 'Bearer lone-token-all-scopes' };

  it('do not include a refused upgrade, which is closed whatever its sender does', async () => {
    const url = `${otherUrl().replace('http', 'ws')}/graphql`;
    const headers = from('198.51.100.144');
    const held = [1, 2, 3].map(() => new WebSocket(url, 'graphql-transport-ws', { headers }));
    await Promise.all(held.map((one) => once(one, 'open')));
    const { port, hostname } = new URL(otherUrl());
    // A client that never closes its own side.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.once('close', resolve).on('error', () => {}));
    let output = '';
    socket.on('data', (piece) => {
      output += piece;
    });
    socket.write(
      'GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nx-forwarded-for: 198.51.100.144\r\n\r\n',
    );
    await expect.poll(() => output).toContain('429');
    const talking = setInterval(() => socket.write('more'), 20);
    await closed.finally(() => clearInterval(talking));
    for (const one of held) one.close();
  });

  it('are limited per address, with or without a token, until they end', async () => {
    const ends: (() => void)[] = [];
    const stream = async (address: string) => {
      const leaving = new AbortController();
      ends.push(() => leaving.abort());
      const headers = { ...from(address), ...token, accept: 'text/event-stream' };
      return ask(otherUrl(), feed, headers, leaving.signal);
    };
    const socket = async (address: string) => {
      const one = new WebSocket(`${otherUrl().replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: from(address),
      });
      one.on('error', () => {});
      ends.push(() => one.terminate());
      const status = await new Promise<number | undefined>((answered) => {
        one.on('open', () => answered(101));
        one.on('unexpected-response', (_req, { statusCode }) => answered(statusCode));
      });
      return { one, status };
    };
    expect((await stream('192.0.2.60')).status).toBe(200);
    expect((await stream('192.0.2.60')).status).toBe(200);
    const last = await socket('192.0.2.60');
    expect(last.status).toBe(101);
    const refused = await stream('192.0.2.60');
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      errors: [
        {
          message: 'This address has 3 event streams and sockets open, and may have 3 (MAX_STREAMS).',
          extensions: { code: 'RATE_LIMITED' },
        },
      ],
    });
    expect((await socket('192.0.2.60')).status).toBe(429);
    expect((await stream('192.0.2.61')).status).toBe(200);
    last.one.terminate();
    await expect
      .poll(async () => (await stream('192.0.2.60')).status, { interval: 500, timeout: 3_000 })
      .toBe(200);
    for (const end of ends) end();
  });

  it('do not include queries that merely accept an event stream', async () => {
    // Many GraphQL clients send this with every operation.
    const accept = 'application/graphql-response+json, application/json, text/event-stream';
    const headers = { ...from('192.0.2.62'), ...token, accept };
    const slow = [1, 2, 3, 4].map(() => ask(otherUrl(), '{ srrs { edges { cursor } } }', headers));
    const leaving = new AbortController();
    const streams = [1, 2, 3].map(() => ask(otherUrl(), feed, headers, leaving.signal));
    expect((await Promise.all(streams)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await ask(otherUrl(), '{ __typename }', headers)).status).toBe(200);
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([504, 504, 504, 504]);
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
      const headers = { 'x-forwarded-for': '192.0.2.50', accept };
      const answer = await ask(otherUrl(), '{ srrs { edges { cursor } } }', headers);
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
    const response = ask(patient.app.url, query, headers, leaving.signal).catch(() => {});
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
