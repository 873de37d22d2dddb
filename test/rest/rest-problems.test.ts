import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type LoneGateway, loneIssuer, loneToken, startLoneGateway } from '../_util/lone-gateway.ts';
import { connectMcp } from '../_util/mcp-client.ts';
import { waitForFreshMinute } from '../_util/rate-limit-minute.ts';

/** The body of an error response. */
interface Problem {
  type: string;
  status: number;
  code: string;
  detail: string;
  errors?: object[];
}

let gateway: LoneGateway;
/** A subgraph that accepts queries and never answers. */
let silent: Server;
let waiting = 0;
beforeAll(async () => {
  silent = createServer(async (req, res) => {
    const question = await text(req).catch(() => '');
    // Leave out the gateway's own queries: the newest block and the check of its configuration.
    if (question.includes('query Meta') || question.includes('"collection":null')) return;
    waiting++;
    res.once('close', () => {
      waiting--;
    });
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  gateway = await startLoneGateway({ BODY_MAX_BYTES: '20000' });
});
afterAll(async () => {
  await gateway?.stop();
  silent.closeAllConnections();
  silent.close();
});

const json = { authorization: `Bearer ${loneToken}`, 'content-type': 'application/json' };
const post = (body: BodyInit, headers: Record<string, string> = json): RequestInit & { duplex?: 'half' } => ({
  method: 'POST',
  headers,
  body,
});
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function ask(path: string, request: RequestInit = {}, { address } = gateway) {
  const response = await fetch(`${address}${path}`, request);
  const problem = (await response.json()) as Problem;
  // Every problem has this form, wherever it arises.
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(problem).toMatchObject({
    type: `urn:problem-type:srr-gateway:${problem.code}`,
    title: expect.stringMatching(/^[A-Z][a-z0-9 ]+$/),
    status: response.status,
    detail: expect.stringMatching(/\w/),
  });
  expect(response.headers.has('etag')).toBe(false);
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  return { problem, headers: response.headers };
}

const entry = { externalId: 'a', isPrimaryIssuer: true, lockExternalTransfer: false, artistAddress: '0x12' };

const inEnglish = { en: 'A' };
const picture = { ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte' };
const whole = {
  ...entry,
  artistAddress: `0x${'1'.repeat(40)}`,
  metadata: {
    name: 'A',
    title: inEnglish,
    medium: inEnglish,
    yearOfCreation: inEnglish,
    thumbnail: picture,
    image: picture,
  },
};

describe('a problem names the faulty input and how to correct it', () => {
  it.each<[what: string, path: string, problem: object, request?: RequestInit]>([
    [
      'an unknown parameter',
      '/records?ownr=0x1',
      { status: 400, parameter: 'ownr', detail: /takes first, after/ },
    ],
    ['a repeated parameter', '/records?first=1&first=2', { status: 400, parameter: 'first', detail: /once/ }],
    ['a word for a number', '/records?first=many', { status: 400, parameter: 'first', detail: /Int/ }],
    ['nothing for a number', '/records?first=', { status: 400, parameter: 'first' }],
    ['a number in another notation', '/records?first=1e1', { status: 400, parameter: 'first' }],
    ['a fraction', '/records?first=1.5', { status: 400, parameter: 'first' }],
    ['a number beyond Int', '/records?first=99999999999999999999', { status: 400, parameter: 'first' }],
    ['too large a page', '/records?first=1000', { status: 400, parameter: 'first', detail: /0 to 999/ }],
    ['a negative page', '/records?last=-1', { status: 400, parameter: 'last' }],
    ['a word for a Boolean', '/records?inRegistry=yes', { status: 400, parameter: 'inRegistry' }],
    ['an invalid address', '/records?owner=0x12', { status: 400, parameter: 'owner', detail: /40 hex/ }],
    ['an empty value', '/records?owner=', { status: 400, parameter: 'owner' }],
    [
      'an unknown order',
      '/records?orderBy=NEW',
      { status: 400, parameter: 'orderBy', detail: /CREATED_AT_ASC/ },
    ],
    ['a time without a zone', '/records?createdAfter=2026', { status: 400, parameter: 'createdAfter' }],
    ['an invalid CID', '/records?metadataCIDs=x', { status: 400, parameter: 'metadataCIDs' }],
    ['an invalid cursor', '/records?after=x', { status: 400, parameter: 'after', detail: /without one/ }],
    [
      'both directions',
      '/records?first=1&last=1',
      { status: 400, parameter: 'last', detail: /Use one pair/ },
    ],
    ['both cursors', '/records?after=x&before=y', { status: 400, detail: /Use one pair/ }],
    ['an invalid token id', '/records/0x1', { status: 400, parameter: 'tokenId', detail: /decimal/ }],
    ['an invalid collection', '/records/1?collection=1', { status: 400, parameter: 'collection' }],
    ['a path too long', '/records/1/2', { status: 404, code: 'NOT_FOUND', detail: /\/records\/\{tokenId\}/ }],
    ['a path too short', '/records/', { status: 404, code: 'NOT_FOUND' }],
    ['a path that is not UTF-8', '/records/%ff', { status: 404, code: 'NOT_FOUND' }],
    [
      'an issuance that does not exist',
      '/issuances/x',
      { status: 404, parameter: 'requestId' },
      bearer(loneToken),
    ],
    ['a NUL', '/issuances/%00', { status: 400, code: 'INVALID_INPUT' }, bearer(loneToken)],
    [
      'an unsupported method',
      '/records',
      { status: 405, code: 'METHOD_NOT_ALLOWED', detail: /takes GET/ },
      { method: 'DELETE' },
    ],
    [
      'an unsupported method of an issuance',
      '/issuances/x',
      { status: 405, code: 'METHOD_NOT_ALLOWED' },
      { method: 'PUT', body: 'x' },
    ],
    [
      'no credentials',
      '/issuances/x',
      { status: 401, code: 'UNAUTHENTICATED', detail: /Bearer.*commerce-api-key/ },
    ],
    ['no credentials to issue', '/issuances', { status: 401, code: 'UNAUTHENTICATED' }, post('{', {})],
    ['a wrong token', '/records/1', { status: 401, code: 'UNAUTHENTICATED' }, bearer('wrong')],
    [
      'the scope upload only',
      '/issuances/x',
      { status: 403, code: 'FORBIDDEN', detail: /^Query\.issuance needs a token with the scope "read"\.$/ },
      bearer('lone-token-upload'),
    ],
    [
      'the scope read only',
      '/issuances',
      { status: 403, code: 'FORBIDDEN', detail: /the scope "issue"\.$/ },
      post('{"requestId": "a", "entries": []}', { ...json, authorization: 'Bearer lone-token-read' }),
    ],
    ['invalid JSON', '/issuances', { status: 400, pointer: '#', detail: /JSON/ }, post('{"requestId"')],
    ['an empty body', '/issuances', { status: 400, pointer: '#' }, post('')],
    ['a list', '/issuances', { status: 400, pointer: '#', detail: /object/ }, post('[]')],
    [
      'a body that is not UTF-8',
      '/issuances',
      { status: 400, pointer: '#' },
      post(Buffer.from('{"requestId":"\xff"}', 'latin1')),
    ],
    [
      'an unknown member',
      '/issuances',
      { status: 400, pointer: '#/a~1b%20', detail: /requestId, entries/ },
      post('{"a/b ": 1}'),
    ],
    [
      'an unknown member that is not Unicode',
      '/issuances',
      { status: 400, pointer: '#/%EF%BF%BD' },
      post('{"\\ud800": 1}'),
    ],
    [
      'a wrong type',
      '/issuances',
      { status: 400, pointer: '#/requestId' },
      post('{"requestId": 1, "entries": []}'),
    ],
    ...[
      ['an object', '{"toString": 1}'],
      ['deeply nested lists', '['.repeat(9_000) + ']'.repeat(9_000)],
    ].map(([what, requestId]): [string, string, object, RequestInit] => [
      `${what} for a requestId`,
      '/issuances',
      { status: 400, pointer: '#/requestId' },
      post(`{"requestId": ${requestId}, "entries": []}`),
    ]),
    [
      'a missing member',
      '/issuances',
      { status: 400, pointer: '#/entries', detail: /required/ },
      post('{"requestId": "a"}'),
    ],
    [
      'no entries',
      '/issuances',
      { status: 400, pointer: '#/entries' },
      post('{"requestId": "a", "entries": []}'),
    ],
    [
      'a blank requestId',
      '/issuances',
      { status: 400, pointer: '#/requestId', detail: /not blank/ },
      post(JSON.stringify({ requestId: ' ', entries: [whole] })),
    ],
    [
      'a requestId of dots, which no path can end in',
      '/issuances',
      { status: 400, pointer: '#/requestId', detail: /dots/ },
      post('{"requestId": "..", "entries": []}'),
    ],
    [
      'a value within an entry',
      '/issuances',
      { status: 400, pointer: '#/entries/1/artistAddress' },
      post(
        JSON.stringify({
          requestId: 'a',
          entries: [whole, entry],
        }),
      ),
    ],
    [
      'a query string with POST',
      '/issuances?requestId=a',
      { status: 400, parameter: 'requestId' },
      post('{}'),
    ],
    [
      'a form',
      '/issuances',
      { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', detail: /application\/json/ },
      post('a=1', { ...json, 'content-type': 'application/x-www-form-urlencoded' }),
    ],
    ['no content type', '/issuances', { status: 415 }, post(new Blob(['{}']), bearer(loneToken).headers)],
    [
      'a compressed body',
      '/issuances',
      { status: 415, detail: /uncompressed/ },
      post('{}', { ...json, 'content-encoding': 'gzip' }),
    ],
    [
      'a long body',
      '/issuances',
      { status: 413, code: 'BODY_TOO_LONG', detail: /20000 bytes/ },
      post(`{"requestId": "${'x'.repeat(20_000)}"}`),
    ],
    [
      'a form of another site',
      '/issuances',
      { status: 403, code: 'FORBIDDEN' },
      post('{}', { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }),
    ],
  ])('%s: %s', async (_what, path, { detail, ...expected }: { detail?: RegExp }, request) => {
    const { problem } = await ask(path, request);
    expect(problem).toMatchObject({
      ...('status' in expected && expected.status === 400 && { code: 'INVALID_INPUT' }),
      ...expected,
    });
    if (detail) expect(problem.detail).toMatch(detail);
  });

  it('lists all faults at once', async () => {
    const { problem } = await ask('/records?first=x&owner=1&orderBy=2');
    expect(problem.errors).toMatchObject([
      { parameter: 'first' },
      { parameter: 'orderBy' },
      { parameter: 'owner' },
    ]);
  });

  it('comes with WWW-Authenticate or Allow where HTTP requires it', async () => {
    expect((await ask('/issuances/x')).headers.get('www-authenticate')).toBe('Bearer');
    expect((await ask('/issuances/x', { method: 'DELETE' })).headers.get('allow')).toBe('GET, HEAD');
  });

  it('is returned for a request line with an absolute address too', async () => {
    const socket = connect(Number(new URL(gateway.address).port), '127.0.0.1');
    socket.write(
      'GET http://gateway.example/records?first=x HTTP/1.1\r\nhost: gateway.example\r\nconnection: close\r\n\r\n',
    );
    expect(await text(socket)).toContain('"type":"urn:problem-type:srr-gateway:INVALID_INPUT"');
  });

  it('is returned while introspection is off, which hides only the OpenAPI document', async () => {
    const closed = await startLoneGateway({ INTROSPECTION: 'off' });
    onTestFinished(() => closed.stop());
    expect((await fetch(`${closed.address}/openapi.json`)).status).toBe(404);
    expect((await ask('/records/x', {}, closed)).problem.status).toBe(400);
  });
});

describe('the limits of GraphQL on plain HTTP', () => {
  it('count every request against the caller’s rate limit', async () => {
    await waitForFreshMinute();
    const limited = await startLoneGateway({ RATE_LIMIT: '2', TRUSTED_PROXIES: '1' });
    onTestFinished(() => limited.stop());
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    for (const path of ['/records/x', '/issuances/x'])
      expect((await ask(path, { headers }, limited)).headers.get('ratelimit')).toMatch(/^"minute";r=\d/);
    const { problem, headers: refused } = await ask('/records', { headers }, limited);
    expect(problem).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(Number(refused.get('retry-after'))).toBeGreaterThan(0);
    const graphql = await fetch(`${limited.address}/graphql?query={__typename}`, { headers });
    expect(graphql.status).toBe(429);
  });

  it('refuse a request whose cost exceeds MAX_COST', async () => {
    const small = await startLoneGateway({ MAX_COST: '500' });
    onTestFinished(() => small.stop());
    const { problem } = await ask('/records?first=500', {}, small);
    expect(problem).toMatchObject({ status: 400, code: 'LIMIT_EXCEEDED', limit: 'cost', allowed: 500 });
  });

  it('count the cost against the same budget as GraphQL', async () => {
    await waitForFreshMinute();
    const limited = await startLoneGateway({ COST_LIMIT: '1000', TRUSTED_PROXIES: '1' });
    onTestFinished(() => limited.stop());
    const request = { headers: { 'x-forwarded-for': '192.0.2.8' } };
    const first = await ask('/records?first=20', request, limited);
    expect([first.problem.status, first.headers.get('retry-after')]).toEqual([503, '5']);
    const [, left] = /"cost";r=(\d+)/.exec(first.headers.get('ratelimit') ?? '') ?? [];
    expect(Number(left)).toBeLessThan(1000);
    const { problem, headers } = await ask('/records?first=20', request, limited);
    expect(problem).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      detail: expect.stringMatching(/lists of at most \d+/),
      cost: { left: Number(left), limit: 1000 },
      retryAfter: Number(headers.get('retry-after')),
    });
    expect(problem.detail).toContain(`try again in ${headers.get('retry-after')} seconds`);
  });

  it.each([
    ['7', '7'],
    // At most a minute, because the gateway itself retries within that time.
    ['2592000', '60'],
  ])('pass on the Retry-After of a busy subgraph: %s as %s', async (received, sent) => {
    const busy = createServer((_req, res) => res.writeHead(429, { 'retry-after': received }).end());
    onTestFinished(() => void busy.close());
    await once(busy.listen(0, '127.0.0.1'), 'listening');
    const { port } = busy.address() as AddressInfo;
    const waits = await startLoneGateway({ SUBGRAPH_URL: `http://127.0.0.1:${port}` });
    onTestFinished(() => waits.stop());
    const { problem, headers } = await ask('/records', {}, waits);
    expect([problem.status, headers.get('retry-after')]).toEqual([429, sent]);
    expect(problem).toMatchObject({ code: 'RATE_LIMITED', retryAfter: Number(sent) });
  });

  it('end a request that takes too long, together with its upstream request', async () => {
    const { port } = silent.address() as AddressInfo;
    const slow = await startLoneGateway({ SUBGRAPH_URL: `http://127.0.0.1:${port}`, REQUEST_TIMEOUT: '1' });
    onTestFinished(() => slow.stop());
    const { problem } = await ask('/records', {}, slow);
    expect(problem).toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' });
    await expect.poll(() => waiting).toBe(0);
  });

  it('end the upstream request when the caller disconnects', async () => {
    const { port } = silent.address() as AddressInfo;
    const patient = await startLoneGateway({ SUBGRAPH_URL: `http://127.0.0.1:${port}` });
    onTestFinished(() => patient.stop());
    const leaving = connect(Number(new URL(patient.address).port), '127.0.0.1');
    leaving.write('GET /records HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => waiting).toBeGreaterThan(0);
    leaving.destroy();
    await expect.poll(() => waiting).toBe(0);
  });

  it('allow the documents of the routes and of tools when only trusted documents may run', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'trusted-'));
    const file = join(directory, 'documents.json');
    writeFileSync(file, '{"a": "{ __typename }"}');
    const trusting = await startLoneGateway({ TRUSTED_DOCUMENTS_FILE: file });
    onTestFinished(async () => {
      await trusting.stop();
      rmSync(directory, { recursive: true });
    });
    const { problem } = await ask('/issuances/none', bearer(loneToken), trusting);
    expect(problem).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const agent = await connectMcp(trusting.address, loneToken);
    expect((await agent.call('who_am_i')).data.issuer).toBe(loneIssuer);
    await agent.client.close();
    const { errors } = await trusting.anonymous.ask('{ sources { kind } }');
    expect(errors).toMatchObject([{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }]);
  });
});

describe('a source that is down', () => {
  it.each(['/records', '/records/1'])('causes 503 with UPSTREAM_UNAVAILABLE: %s', async (path) => {
    expect((await ask(path)).problem).toMatchObject({ status: 503, code: 'UPSTREAM_UNAVAILABLE' });
  });
});
