import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { createClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { snippetsOf } from '../_util/doc-snippets.ts';
import { type EventGateways, eventGateways } from '../_util/event-gateways.ts';

let gateways: EventGateways;
let url: string;
let auth: Record<string, string>;

beforeAll(async () => {
  gateways = await eventGateways({ env: { MAX_SOCKET_OPERATIONS: '5' } });
  url = `${gateways.replicas[0]?.url}/graphql`;
  auth = { authorization: `Bearer ${gateways.token}` };
});
afterAll(() => gateways?.stop());

const leaving: (() => unknown)[] = [];
afterEach(() => {
  for (const leave of leaving.splice(0)) leave();
});

async function deliver(...externalIds: string[]): Promise<void> {
  const answer = await fetch(new URL('/webhooks/commerce', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': gateways.webhookKey },
    body: JSON.stringify({ type: 'issue_failed', data: externalIds.map((externalId) => ({ externalId })) }),
  });
  expect(answer.status).toBe(200);
}

/** The library's client in single connection mode, and the requests that it made. */
function client() {
  const requests: string[] = [];
  const sse = createClient({
    url,
    singleConnection: true,
    // Copied, because the client modifies its headers.
    headers: { ...auth },
    retryAttempts: 0,
    fetchFn: (input: string, init: RequestInit) => {
      const streams = new Headers(init.headers).get('accept') === 'text/event-stream';
      requests.push(`${init.method ?? 'GET'}${streams ? ' stream' : ''}`);
      return fetch(input, init);
    },
  });
  leaving.push(() => sse.dispose());
  const ask = (query: string) => {
    const seen: unknown[] = [];
    const state = { seen, error: undefined as unknown, complete: false, stop: () => {} };
    state.stop = sse.subscribe(
      { query },
      {
        next: ({ data, errors }) => seen.push(errors ?? data),
        error: (error) => {
          state.error = error;
        },
        complete: () => {
          state.complete = true;
        },
      },
    );
    return state;
  };
  return { ask, requests };
}

const follow = 'subscription { events { ... on SRRFailed { externalId } } }';
const ids = (seen: unknown[]) =>
  (seen as { events: { externalId: string } }[]).map(({ events }) => events.externalId);

/** Reserves a stream by hand, for requests that no client would send. */
async function reserve(): Promise<string> {
  const reserved = await fetch(url, { method: 'PUT', headers: auth });
  expect(reserved.status).toBe(201);
  expect(reserved.headers.get('cache-control')).toBe('no-store');
  return reserved.text();
}
const head = (token: string) =>
  fetch(`${url}?token=${token}`, { method: 'HEAD', headers: { accept: 'text/event-stream' } });
const open = (token: string, signal?: AbortSignal) =>
  fetch(`${url}?token=${token}`, { headers: { accept: 'text/event-stream' }, signal: signal ?? null });
async function operate(token: string, body: unknown, headers: Record<string, string> = auth) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-graphql-event-stream-token': token, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, errors: text === '' ? undefined : JSON.parse(text).errors };
}
const operation = (id: string, query = follow) => ({ query, extensions: { operationId: id } });

describe('one connection for many operations', () => {
  it('carries several subscriptions and queries at once', async () => {
    const { ask, requests } = client();
    // A delivery counts once, so a retry needs names of its own.
    const run = randomUUID();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => `${run} ${name}`) as [string, string, string];
    const [one, two] = [ask(follow), ask(follow)];
    const query = ask('{ events(first: 0) { edges { cursor } } }');
    await expect.poll(() => query.complete).toBe(true);
    expect(query.seen).toEqual([{ events: { edges: [] } }]);
    // Both subscriptions are live once they receive an event.
    for (let n = 0; one.seen.length === 0 || two.seen.length === 0; n++) {
      await deliver(`${run} first-${n}`);
      await expect.poll(() => requests.length).toBeGreaterThan(0);
    }
    await deliver(a, b);
    await expect.poll(() => ids(one.seen).slice(-2)).toEqual([a, b]);
    await expect.poll(() => ids(two.seen).slice(-2)).toEqual([a, b]);
    one.stop();
    await expect.poll(() => requests.includes('DELETE')).toBe(true);
    await deliver(c);
    await expect.poll(() => ids(two.seen).at(-1)).toBe(c);
    expect(ids(one.seen)).not.toContain(c);
    expect(requests.toSorted()).toEqual(['DELETE', 'GET stream', 'POST', 'POST', 'POST', 'PUT']);
  });

  it('delivers the results of operations that began before the stream was opened', async () => {
    const token = await reserve();
    expect(await operate(token, operation('early', '{ __typename }'))).toEqual({ status: 202 });
    const leave = new AbortController();
    leaving.push(() => leave.abort());
    const stream = await open(token, leave.signal);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      if (text.includes('complete')) break;
    }
    expect(text).toBe(
      ':\n\nevent: next\ndata: {"id":"early","payload":{"data":{"__typename":"Query"}}}\n\n' +
        'event: complete\ndata: {"id":"early"}\n\n',
    );
  });
});

it('the commands of docs/events.md reserve a stream and begin an operation on it', async () => {
  const { code = '' } = snippetsOf('docs/events.md').find(({ code }) => code.includes('-X PUT')) ?? {};
  expect(code.match(/^curl /gm)).toHaveLength(3);
  const mine = code.replaceAll('http://127.0.0.1:4000/graphql', url).replace('demo-token', gateways.token);
  // The stream goes on, so that its curl must be ended. The other commands print nothing but refusals.
  const { stdout } = await promisify(execFile)('sh', ['-euc', `${mine}\nkill $!`]);
  expect(stdout).toMatch(/^[:\n]*$/);
});

describe('a refused request in single-connection mode', () => {
  it.each([
    ['has no stream', 404, (_token: string) => operate('nothing', operation('x'))],
    ['has an id that is too long', 400, (token: string) => operate(token, operation('x'.repeat(129)))],
    ['has an empty id', 400, (token: string) => operate(token, operation(''))],
    ['has no id', 400, (token: string) => operate(token, { query: follow })],
    [
      'is too long for a stream that nobody reads yet',
      413,
      (token: string) => operate(token, operation('x', `{ __typename } #${'x'.repeat(20_000)}`)),
    ],
    ['has no query', 400, (token: string) => operate(token, { extensions: { operationId: 'x' } })],
    ['has invalid variables', 400, (token: string) => operate(token, { ...operation('x'), variables: 3 })],
    [
      'is too long',
      413,
      async (token: string) => {
        const leave = new AbortController();
        leaving.push(() => leave.abort());
        await open(token, leave.signal);
        // What an open stream takes, and one byte more.
        const long = (length: number) => JSON.stringify(operation('x', '{ __typename }')).padEnd(length);
        expect(await operate(token, long(1_000_000))).toEqual({ status: 202 });
        return operate(token, long(1_000_001));
      },
    ],
    ['is not JSON', 400, (token: string) => operate(token, '{')],
    [
      'has another content type',
      415,
      (token: string) => operate(token, operation('x'), { ...auth, 'content-type': 'text/plain' }),
    ],
    ['does not validate', 400, (token: string) => operate(token, operation('x', '{ nothing }'))],
    [
      'names an unknown document, for which 200 would look like an acceptance',
      400,
      (token: string) => {
        const persistedQuery = { version: 1, sha256Hash: 'unknown' };
        return operate(token, { query: '', extensions: { operationId: 'x', persistedQuery } });
      },
    ],
    [
      'has an unknown token',
      401,
      (token: string) => operate(token, operation('x'), { authorization: 'Bearer of-nobody-at-all' }),
    ],
  ] as const)('%s: %i with a code, and the stream stays usable', async (_what, status, send) => {
    const token = await reserve();
    const refused = await send(token);
    expect(refused).toMatchObject({
      status,
      errors: [{ message: expect.any(String), extensions: { code: expect.any(String) } }],
    });
    expect(await operate(token, operation('x', '{ __typename }'))).toEqual({ status: 202 });
  });

  it('gets WWW-Authenticate with the 401 for an unknown token', async () => {
    const refused = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-graphql-event-stream-token': await reserve(),
        authorization: 'Bearer of-nobody-at-all',
      },
      body: JSON.stringify(operation('x')),
    });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('is one operation too many: the error names the limit and its variable', async () => {
    const token = await reserve();
    expect((await operate(token, operation('a', '{ __typename }'))).status).toBe(202);
    expect((await operate(token, operation('b', '{ __typename }'))).status).toBe(202);
    const early = await operate(token, operation('c', '{ __typename }'));
    expect(early.errors[0].message).toContain('may have 2 (as long as it is not open)');
    const leave = new AbortController();
    leaving.push(() => leave.abort());
    await open(token, leave.signal);
    await expect.poll(async () => (await operate(token, operation('c', '{ __typename }'))).status).toBe(202);
    // The small queries end in a moment.
    for (let n = 0; n < 5; n++)
      await expect.poll(async () => (await operate(token, operation(`${n}`))).status).not.toBe(400);
    const { status, errors } = await operate(token, operation('6'));
    expect(status).toBe(400);
    expect(errors[0].message).toContain('may have 5 (MAX_SOCKET_OPERATIONS)');
    const details = { limit: 'socketOperations', allowed: 5, measured: 6 };
    expect(errors[0].extensions).toEqual({ code: 'LIMIT_EXCEEDED', ...details });
    // Stopping an operation makes room.
    expect((await fetch(`${url}?token=${token}`, { method: 'DELETE' })).status).toBe(400);
    await fetch(`${url}?token=${token}&operationId=0`, { method: 'DELETE' });
    expect((await operate(token, operation('6'))).status).toBe(202);
  });

  it('opens the stream with another Accept header, which would bypass the limit: 406', async () => {
    const token = await reserve();
    expect((await fetch(`${url}?token=${token}`, { headers: { accept: '*/*' } })).status).toBe(406);
    const leave = new AbortController();
    leaving.push(() => leave.abort());
    const { status, headers } = await open(token, leave.signal);
    expect(status).toBe(200);
    // The result of a mutation may contain a signed URL.
    expect(headers.get('cache-control')).toBe('private, no-store, no-transform');
  });

  it('uses the id of a running operation, or opens an open stream: 409', async () => {
    const token = await reserve();
    // HEAD, as link checkers send it, does not use up the reservation.
    const { status, headers } = await head(token);
    expect([status, headers.get('allow')]).toEqual([405, 'PUT, GET, POST, DELETE']);
    expect((await operate(token, operation('same'))).status).toBe(202);
    expect((await operate(token, operation('same'))).status).toBe(409);
    const leave = new AbortController();
    leaving.push(() => leave.abort());
    expect((await open(token, leave.signal)).status).toBe(200);
    expect((await open(token)).status).toBe(409);
  });
});

it('a lost connection ends the stream with all its operations', async () => {
  const token = await reserve();
  const leave = new AbortController();
  await open(token, leave.signal);
  await operate(token, operation('x'));
  leave.abort();
  await expect.poll(async () => (await operate(token, operation('y'))).status).toBe(404);
});
