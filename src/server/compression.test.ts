import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markSecret } from '../lib/secret-answers.ts';
import { compression } from './compression.ts';

describe('an answer', () => {
  const text = JSON.stringify({ data: 'é'.repeat(5_000) });
  const json = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  let answer: (res: ServerResponse) => unknown;
  const server = createServer((req, res) => {
    if (req.url === '/secret') markSecret(req);
    compression(req, res, new URL('http://gateway/'));
    answer(res);
  });
  beforeEach(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterEach(() => new Promise<unknown>((closed) => server.close(closed)));

  async function ask(accepted: string | undefined, { path = '/', method = 'GET' } = {}) {
    const { port } = server.address() as AddressInfo;
    const headers: OutgoingHttpHeaders = accepted === undefined ? {} : { 'accept-encoding': accepted };
    const asked = request({ port, path, method, headers, host: '127.0.0.1', agent: false }).end();
    const [got] = await once(asked, 'response');
    const body = await buffer(got);
    return { status: got.statusCode, headers: got.headers, body };
  }

  it.each([
    ['its headers and body at once', (res: ServerResponse) => res.writeHead(200, json).end(text)],
    [
      'its headers as a list, as the cache keeps them',
      (res: ServerResponse) =>
        res.writeHead(200, 'OK', Object.entries(json).flat() as string[]).end(Buffer.from(text)),
    ],
    [
      'its headers before, and its body in pieces',
      (res: ServerResponse) => {
        res.setHeaders(new Map(Object.entries(json)));
        res.writeHead(200);
        res.write(text.slice(0, 100));
        res.write(Buffer.from(text.slice(100)));
        res.end();
      },
    ],
  ])('is compressed that gives %s', async (_how, given) => {
    answer = given;
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

  it('adds to what it varies by already', async () => {
    answer = (res) => res.writeHead(200, { ...json, vary: 'origin' }).end(text);
    expect((await ask('identity')).headers.vary).toBe('origin, accept-encoding');
  });

  it('to HEAD has no body and no coding', async () => {
    answer = (res) => res.writeHead(200, json).end(text);
    const { headers, body } = await ask('gzip', { method: 'HEAD' });
    expect([headers['content-encoding'], headers.vary, body.length]).toEqual([
      undefined,
      'accept-encoding',
      0,
    ]);
  });

  it('with a secret is never compressed', async () => {
    answer = (res) => res.writeHead(200, json).end(text);
    const { headers, body } = await ask('gzip', { path: '/secret' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['cache-control']).toContain('no-transform');
    expect(body.toString()).toBe(text);
  });

  it.each([
    ['is short', { 'content-type': 'application/json', 'content-length': 2 }, '{}'],
    ['is compressed already', { ...json, 'content-encoding': 'zstd' }, text],
    ['is a stream of events', { 'content-type': 'text/event-stream' }, text],
    ['has no known length', { 'content-type': 'application/json' }, text],
  ])('that %s goes out as it is', async (_what, headers, body) => {
    answer = (res) => res.writeHead(200, headers as OutgoingHttpHeaders).end(body);
    const got = await ask('gzip, br');
    expect(got.body.toString()).toBe(body);
    expect(got.headers.vary).toBeUndefined();
  });

  it('that is replaced while it is compressed is not sent twice', async () => {
    answer = (res) => {
      res.writeHead(200, json).end(text);
      // Another answer, as for a body that came too slowly.
      if (!res.headersSent)
        res.writeHead(408, { 'content-type': 'text/plain', 'content-length': 4 }).end('late');
    };
    const { status, body } = await ask('gzip');
    expect([status, body.toString()]).toEqual([408, 'late']);
  });
});
