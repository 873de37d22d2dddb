import { getEventListeners } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../test/_util/failure.ts';
import { closedPort, serve } from '../../test/_util/http-server.ts';
import { createHttpClient, type HttpFailure, type HttpRequest } from './http.ts';

function client() {
  const http = createHttpClient({ connections: 1 });
  onTestFinished(() => http.close());
  return (url: string, more: Partial<HttpRequest> = {}) =>
    http.send({ method: 'GET', url, maxBytes: 1_000, ...more });
}

describe('a response', () => {
  it('is returned complete, whatever its status, with the values of a repeated header joined', async () => {
    const server = await serve((_, response) => {
      response.setHeader('x-twice', ['one', 'two']);
      response.writeHead(418).write('some ');
      setImmediate(() => response.end('bytes'));
    });
    const { status, headers, body } = await client()(`${server.url}/path?q=1`);
    expect([status, headers['x-twice'], body.toString()]).toEqual([418, 'one, two', 'some bytes']);
    expect(server.received[0]?.url).toBe('/path?q=1');
  });

  it('is not compressed by a server that compresses unless a client forbids it', async () => {
    const server = await serve(({ headers }, response) => {
      if (headers['accept-encoding'] === 'identity') return response.end('bytes');
      return response.setHeader('content-encoding', 'gzip').end(gzipSync('bytes'));
    });
    const { body, headers } = await client()(server.url);
    expect([body.toString(), headers['content-encoding']]).toEqual(['bytes', undefined]);
    const http = createHttpClient({ connections: 1 });
    onTestFinished(() => http.close());
    const { signal } = new AbortController();
    const streamed = await http.open({ url: server.url, headers: {}, stallMs: 5_000, signal });
    expect(await text(streamed.body)).toBe('bytes');
  });

  it.each([
    ['gzip', gzipSync],
    ['X-GZip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])(
    'in %s, although the request forbade it, is decompressed up to the size limit',
    async (coding, compress) => {
      const server = await serve((_, response, nth) => {
        const body = compress(Buffer.alloc(nth === 0 ? 1_000 : 1_001));
        response.setHeader('content-encoding', coding).end(nth === 2 ? body.subarray(0, 8) : body);
      });
      const send = client();
      expect((await send(server.url)).body).toEqual(Buffer.alloc(1_000));
      expect(await failure<HttpFailure>(send(server.url))).toMatchObject({ kind: 'TOO_LARGE', sent: true });
      expect(await failure<HttpFailure>(send(server.url))).toMatchObject({ kind: 'BROKEN', sent: true });
    },
  );

  it('that is too large is read no further, and the next request succeeds', async () => {
    const server = await serve((_, response, nth) => response.end(Buffer.alloc(nth === 0 ? 1_001 : 1_000)));
    const send = client();
    expect(await failure<HttpFailure>(send(server.url))).toMatchObject({ kind: 'TOO_LARGE', sent: true });
    expect((await send(server.url)).body).toHaveLength(1_000);
  });

  it.each<[string, HttpFailure['kind'], boolean, () => Promise<string>]>([
    ['nobody listens', 'UNREACHABLE', false, () => closedPort()],
    ['the address is none', 'UNREACHABLE', false, async () => 'nonsense'],
    ['the upstream hangs up', 'BROKEN', true, async () => (await serve((_, res) => res.destroy())).url],
    ['the upstream is silent', 'TIMEOUT', true, async () => (await serve(() => {})).url],
  ])('that fails because %s is %s', async (_why, kind, sent, urlOf) => {
    const error = await failure<HttpFailure>(client()(await urlOf(), { timeoutMs: 300 }));
    expect(error).toMatchObject({ name: 'HttpFailure', kind, sent });
  });
});

it('an empty response may have a content-encoding', async () => {
  const server = await serve((_, response) => response.writeHead(304, { 'content-encoding': 'gzip' }).end());
  expect(await client()(server.url)).toMatchObject({ status: 304, body: Buffer.alloc(0) });
});

describe('an abort signal', () => {
  it('that is already aborted prevents the request', async () => {
    const server = await serve((_, response) => response.end());
    const error = failure<HttpFailure>(client()(server.url, { signal: AbortSignal.abort('left') }));
    expect(await error).toMatchObject({ kind: 'ABORTED', sent: false, cause: 'left' });
    expect(server.received).toEqual([]);
  });

  it('that many requests share keeps no listener of them', async () => {
    const server = await serve((_, response) => response.end());
    const { signal } = new AbortController();
    const send = client();
    for (let n = 0; n < 3; n++) await send(server.url, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('a request that waits for a connection', () => {
  it.each([
    ['times out', 'TIMEOUT', () => ({ timeoutMs: 20 })],
    ['is aborted', 'ABORTED', () => ({ signal: AbortSignal.timeout(20) })],
  ])('and %s fails at once, and is never sent', async (_how, kind, limits) => {
    let answer = () => {};
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      answer = () => response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = client();
    const first = send(`${url}/first`);
    await expect.poll(() => paths).toEqual(['/first']);
    expect(await failure<HttpFailure>(send(`${url}/second`, limits()))).toMatchObject({ kind, sent: false });
    answer();
    await first;
    const third = send(`${url}/third`);
    await expect.poll(() => paths).toEqual(['/first', '/third']);
    answer();
    await third;
  });
});
