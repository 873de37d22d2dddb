import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PendingContext } from '../execution/pending-answer.ts';
import type { Holds } from '../execution/response-cache.ts';
import { createListener } from './graphql-handler.ts';
import type { GraphQLServer } from './yoga.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

// Behind it stands a server that only counts: what the real one answers is tested in test/kept-answers.test.ts.

let url: string;
let stop: () => Promise<void>;
let asked: number;
let head: string | undefined;
let holds: Holds | undefined;
let forbidden: boolean;
let batched: boolean;
let hold: Promise<void> | undefined;

beforeEach(async () => {
  [asked, head, holds, forbidden, batched, hold] = [0, 'a', { block: 'a' }, false, false, undefined];
  const graphql = async (_req: IncomingMessage, res: ServerResponse, { pending }: PendingContext = {}) => {
    const text = `answer ${++asked}`;
    const at = holds;
    const sent = batched ? `[${text}]` : text;
    await hold;
    if (at) pending?.executed(at, text);
    if (forbidden) pending?.forbid();
    const length = String(Buffer.byteLength(sent));
    const headers = { 'content-type': 'application/json', 'content-length': length };
    pending?.responded(new Response(sent, { headers }));
    res.writeHead(200, headers).end(sent);
  };
  const listener = createListener(
    Object.assign(graphql, { graphqlEndpoint: '/graphql' }) as unknown as GraphQLServer,
    () => head,
  );
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  stop = async () => void (await server[Symbol.asyncDispose]());
});
afterEach(() => stop());

it('holds nothing of an answer whose reader left in the middle of it', async () => {
  let held: WeakRef<object> | undefined;
  const graphql = (_req: IncomingMessage, res: ServerResponse, { pending }: PendingContext) => {
    held = pending && new WeakRef(pending);
    pending?.executed({ block: 'a' }, 'the answer');
    res.writeHead(200, { 'content-length': '20' }).write('the begin');
    // As Yoga waits for a socket to drain that nobody reads.
    return new Promise(() => {});
  };
  const server = createServer(
    createListener(
      Object.assign(graphql, { graphqlEndpoint: '/graphql' }) as unknown as GraphQLServer,
      () => head,
    ),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const leaving = new AbortController();
  await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql?query={a}`, {
    signal: leaving.signal,
  });
  leaving.abort();
  await server[Symbol.asyncDispose]();
  await expect
    .poll(() => {
      gc();
      return held?.deref() === undefined;
    })
    .toBe(true);
});

it.each([
  ['answers at once', (res: ServerResponse) => void res.end('now'), 200],
  ['fails at once', () => expect.fail('a bug'), 500],
  ['fails later', () => Promise.reject(new Error('a bug')), 500],
])('leaves nothing unheard of what %s', async (_what, answer, status) => {
  const graphql = (_req: IncomingMessage, res: ServerResponse) => answer(res);
  const listener = createListener(
    Object.assign(graphql, { graphqlEndpoint: '/graphql' }) as unknown as GraphQLServer,
    () => head,
  );
  const server = createServer((req, res) => void listener(req, res).catch(() => res.writeHead(500).end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
  for (const request of [{}, { headers: { cookie: 'a=b' } }, json])
    expect((await fetch(to, request)).status).toBe(status);
  await server[Symbol.asyncDispose]();
});

interface Asked {
  body?: string | ReadableStream;
  headers?: Record<string, string>;
  path?: string;
  signal?: AbortSignal;
}

async function post({ body = '{"query":"{ a }"}', headers = {}, path = '', signal }: Asked = {}) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    ...(signal && { signal }),
    ...(typeof body !== 'string' && { duplex: 'half' }),
  } as RequestInit);
  return response.text();
}

describe('an answer', () => {
  it('is given again at its block, and no longer than that', async () => {
    expect([await post(), await post()]).toEqual(['answer 1', 'answer 1']);
    head = 'b';
    holds = { block: 'b' };
    expect([await post(), await post()]).toEqual(['answer 2', 'answer 2']);
  });

  it('is not given while the head is in doubt, and again when that was for nothing', async () => {
    await post();
    head = undefined;
    expect(await post()).toBe('answer 2');
    head = 'a';
    expect(await post()).toBe('answer 1');
  });

  it('that was read at another block than the head is not given at all', async () => {
    holds = { block: 'older' };
    expect([await post(), await post()]).toEqual(['answer 1', 'answer 2']);
  });

  it('that reads no source is given at every block', async () => {
    holds = 'for ever';
    await post();
    head = undefined;
    expect(await post()).toBe('answer 1');
  });

  it('that execution says nothing of, or that is forbidden, is not kept', async () => {
    holds = undefined;
    expect([await post(), await post()]).toEqual(['answer 1', 'answer 2']);
    holds = { block: 'a' };
    forbidden = true;
    expect([await post(), await post()]).toEqual(['answer 3', 'answer 4']);
  });

  it('that is sent in another form than execution gave it is not kept', async () => {
    batched = true;
    expect([await post(), await post()]).toEqual(['[answer 1]', '[answer 2]']);
  });

  it.each<[string, Asked]>([
    ['another body', { body: '{"query":"{ b }"}' }],
    ['another address', { path: '?a=b' }],
    ['another accept', { headers: { accept: 'application/graphql-response+json' } }],
    ['another language', { headers: { 'accept-language': 'ja' } }],
    ['another origin', { headers: { origin: 'https://shop.example' } }],
    ['another content type', { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ])('is another one for %s', async (_, other) => {
    await post();
    expect([await post(other), await post(other), await post()]).toEqual([
      'answer 2',
      'answer 2',
      'answer 1',
    ]);
  });

  it.each<[string, Asked]>([
    ['a token', { headers: { authorization: 'Bearer token' } }],
    ['the service’s key', { headers: { 'commerce-api-key': 'key' } }],
    ['an issuer’s address', { headers: { 'issuer-address': '0x' } }],
    ['a cookie', { headers: { cookie: 'a=b' } }],
    ['a form', { headers: { 'content-type': 'multipart/form-data; boundary=a' } }],
    ['plain text', { headers: { 'content-type': 'text/plain' } }],
    ['a long question', { body: JSON.stringify({ query: 'a'.repeat(20_000) }) }],
    ['a body of unknown length', { body: new Blob(['{"query":"{ a }"}']).stream() }],
  ])('to a request with %s is neither kept nor given', async (_, other) => {
    await post();
    expect(await post(other)).toBe('answer 2');
    expect(await post()).toBe('answer 1');
  });
});

describe('equal readers at a new block', () => {
  const readers = (count: number) => Array.from({ length: count }, () => post());

  it('wait for the first of them', async () => {
    await post();
    head = 'b';
    holds = { block: 'b' };
    expect(new Set(await Promise.all(readers(50)))).toEqual(new Set(['answer 2']));
    expect(asked).toBe(2);
  });

  it('ask by themselves when its answer is not for them', async () => {
    await post();
    const { promise, resolve } = Promise.withResolvers<void>();
    [head, holds, hold] = ['b', undefined, promise];
    const answers = Promise.all(readers(3));
    await expect.poll(() => asked).toBe(2);
    resolve();
    expect((await answers).toSorted()).toEqual(['answer 2', 'answer 3', 'answer 4']);
  });

  it('do not get what began before a webhook put the head in doubt', async () => {
    await post();
    const { promise, resolve } = Promise.withResolvers<void>();
    [head, holds, hold] = ['b', { block: 'b' }, promise];
    const first = post();
    await expect.poll(() => asked).toBe(2);
    const second = post();
    head = undefined;
    resolve();
    expect([await first, await second]).toEqual(['answer 2', 'answer 3']);
  });

  it('do not wait for what may be a mutation or a subscription', async () => {
    holds = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    const answers = Promise.all(readers(3));
    await expect.poll(() => asked).toBe(3);
    resolve();
    await answers;
  });
});
