import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptedCoding, type Body, compressed, isCompressible, markSecret, send } from './send.ts';

describe('the content coding for Accept-Encoding', () => {
  it.each<[string | undefined, string | undefined]>([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.2, gzip;q=0.8', 'gzip'],
    ['GZIP; Q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ...[undefined, '', 'identity', 'deflate', 'gzip;q=0', 'gzip; q=0.0', 'gzip;q=x', 'xgzip', 'gzipped'].map(
      (header): [string | undefined, undefined] => [header, undefined],
    ),
  ])('%s is %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});

it.each([
  ['application/json; charset=utf-8', true],
  ['application/graphql-response+json', true],
  ['text/html', true],
  ['text/plain; version=0.0.4', true],
  ['text/event-stream', false],
  ['image/png', false],
  ['undefined', false],
])('%s is worth compressing: %s', (type, worth) => {
  expect(isCompressible(type, 1_000)).toBe(worth);
  expect(isCompressible(type, 999)).toBe(false);
});

describe('a response', () => {
  const text = JSON.stringify({ data: 'é'.repeat(5_000) });
  const type = 'application/json';
  const bytes = Buffer.byteLength(text);
  const sendText = (res: ServerResponse) => send(res, 200, type, { body: text, bytes });
  let answer: (res: ServerResponse) => unknown;
  const server = createServer((req, res) => {
    if (req.url === '/secret') markSecret(req);
    answer(res);
  });
  beforeEach(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterEach(() => new Promise<unknown>((closed) => server.close(closed)));

  async function ask(accepted: string | undefined, { path = '/', method = 'GET' } = {}) {
    const { port } = server.address() as AddressInfo;
    const headers: OutgoingHttpHeaders = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const sent = request({ port, path, method, headers, host: '127.0.0.1', agent: false }).end();
    const [response] = await once(sent, 'response');
    const body = await buffer(response);
    return { status: response.statusCode, headers: response.headers, body };
  }

  it.each([
    ['a text', text],
    ['bytes', Buffer.from(text)],
  ])('of %s is compressed', async (_what, content) => {
    answer = (res) => send(res, 200, type, { body: content, bytes });
    const plain = await ask(undefined);
    expect(plain.body.toString()).toBe(text);
    const gzipped = await ask('gzip');
    expect(gunzipSync(gzipped.body).toString()).toBe(text);
    const brotli = await ask('gzip, br');
    expect(brotliDecompressSync(brotli.body).toString()).toBe(text);
    for (const [{ status, headers, body }, coding] of [
      [plain, undefined],
      [gzipped, 'gzip'],
      [brotli, 'br'],
    ] as const) {
      expect(status).toBe(200);
      expect(headers['content-encoding']).toBe(coding);
      expect(headers['content-length']).toBe(String(body.length));
      expect(headers.vary).toBe('accept-encoding');
    }
  });

  it('has accept-encoding added to its Vary header', async () => {
    for (const [vary, all] of [
      ['origin', 'origin, accept-encoding'],
      ['origin, accept-encoding', 'origin, accept-encoding'],
    ] as const) {
      answer = (res) => send(res, 200, type, { body: text, bytes }, ['vary', vary]);
      expect((await ask('identity')).headers.vary).toBe(all);
    }
  });

  it('to HEAD has neither a body nor a content coding', async () => {
    answer = sendText;
    const { headers, body } = await ask('gzip', { method: 'HEAD' });
    expect([headers['content-encoding'], headers.vary, body.length]).toEqual([
      undefined,
      'accept-encoding',
      0,
    ]);
  });

  it('with a secret is never compressed', async () => {
    answer = sendText;
    const { headers, body } = await ask('gzip', { path: '/secret' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe(text);
  });

  it.each([
    ['is short', type, '{}'],
    ['is not text', 'image/png', text],
  ])('that %s is sent uncompressed', async (_what, contentType, short) => {
    answer = (res) => send(res, 200, contentType, { body: short, bytes: Buffer.byteLength(short) });
    const got = await ask('gzip, br');
    expect(got.body.toString()).toBe(short);
    expect(got.headers.vary).toBeUndefined();
  });

  it('that callers share is compressed once', async () => {
    const shared: Body = { body: text, bytes };
    answer = (res) => send(res, 200, type, shared);
    await ask('gzip');
    const first = shared.compressed?.gzip;
    await ask('gzip');
    expect(shared.compressed).toEqual({ gzip: first });
    expect(shared.compressed?.gzip).toBe(first);
  });

  it('is sent uncompressed while 64 MB of others are compressed, and only then', async () => {
    let others: Promise<unknown> | undefined;
    answer = (res) => {
      others ??= compressed({ body: text, bytes: 64_000_000 }, 'gzip');
      sendText(res);
    };
    const { headers, body } = await ask('gzip');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe(text);
    await others;
    expect((await ask('gzip')).headers['content-encoding']).toBe('gzip');
  });

  it('that cannot be compressed is sent uncompressed', async () => {
    const failed = Promise.reject(new Error('no memory'));
    failed.catch(() => {});
    answer = (res) => send(res, 200, type, { body: text, bytes, compressed: { gzip: failed } });
    const { headers, body } = await ask('gzip');
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe(text);
  });

  it('is not sent if another was sent while it was compressed', async () => {
    answer = (res) => {
      sendText(res);
      // Another response, such as a 408 for a slow request body.
      if (!res.headersSent)
        res.writeHead(408, { 'content-type': 'text/plain', 'content-length': 4 }).end('late');
    };
    const { status, body } = await ask('gzip');
    expect([status, body.toString()]).toEqual([408, 'late']);
  });
});
