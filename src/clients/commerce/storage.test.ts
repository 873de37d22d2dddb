import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, serve } from '../../../test/_util/http-server.ts';
import { createStorage } from './storage.ts';
import type { StorageRefusal } from './storage-refusal.ts';

const secret = '?X-Signature=very-secret';
function storageOf(stallMs?: number, connections?: number) {
  const storage = createStorage({
    ...(stallMs !== undefined && { stallMs }),
    ...(connections !== undefined && { connections }),
  });
  onTestFinished(() => storage.close());
  return storage;
}
const issuer = '0x01';
const bytes = () => Readable.from([Buffer.from('b')]);
const xml = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;

describe('an upload', () => {
  it.each([
    ['one chunk', () => Readable.from([Buffer.from('some bytes')])],
    ['several chunks', () => Readable.from([Buffer.from('some '), Buffer.from('bytes')])],
  ])('of %s sends exactly its bytes and content type', async (_what, body) => {
    const server = await serve((_, response) => response.end());
    await storageOf().putObject({
      issuer,
      url: `${server.url}/a.png${secret}`,
      contentType: 'image/png',
      body: body(),
      size: 10,
    });
    const [received] = server.received;
    expect(received).toMatchObject({ method: 'PUT', url: `/a.png${secret}` });
    expect(received?.headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '10' });
    expect(received?.headers).not.toHaveProperty('commerce-api-key');
    expect(received?.body.toString()).toBe('some bytes');
  });

  it('of 300 MB keeps only a few chunks in memory at a time', async () => {
    let bytes = 0;
    const server = createServer((request, response) => {
      request.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      request.on('end', () => response.end());
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const piece = Buffer.alloc(1024 * 1024);
    let ahead = 0;
    let sent = 0;
    const body = Readable.from(
      (function* () {
        for (let i = 0; i < 300; i++) {
          sent += piece.length;
          ahead = Math.max(ahead, sent - bytes);
          yield piece;
        }
      })(),
      { highWaterMark: 1 },
    );
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/big`;
    await storageOf().putObject({ issuer, url, contentType: 'x/y', body, size: 300 * piece.length });
    expect(bytes).toBe(300 * piece.length);
    expect(ahead).toBeLessThan(20 * piece.length);
  });

  it.each([
    [403, xml('SignatureDoesNotMatch'), 'SIGNATURE_MISMATCH', 'CONTENT_MISMATCH'],
    [403, xml('ExpiredToken'), 'EXPIRED', 'FORBIDDEN'],
    [
      403,
      '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
      'EXPIRED',
      'FORBIDDEN',
    ],
    [403, xml('AccessDenied'), 'NOT_ACCESSIBLE', 'FORBIDDEN'],
    [403, '', 'NOT_ACCESSIBLE', 'FORBIDDEN'],
    [405, xml('MethodNotAllowed'), 'REFUSED', 'FORBIDDEN'],
    [412, xml('PreconditionFailed'), 'NAME_TAKEN', 'FILENAME_TAKEN'],
    [409, xml('BlobAlreadyExists'), 'NAME_TAKEN', 'FILENAME_TAKEN'],
    [409, xml('ConditionalRequestConflict'), 'BUSY', 'UPSTREAM_UNAVAILABLE'],
    [409, xml('OperationAborted'), 'BUSY', 'UPSTREAM_UNAVAILABLE'],
    [400, xml('RequestTimeout'), 'TIMEOUT', 'UPSTREAM_TIMEOUT'],
    [
      403,
      `${xml('AuthenticationFailed')}<Detail>Signature not valid in the specified time frame: Start […]</Detail>`,
      'EXPIRED',
      'FORBIDDEN',
    ],
    [
      403,
      `${xml('AuthenticationFailed')}<Detail>Signature did not match. String to sign used was […]</Detail>`,
      'SIGNATURE_MISMATCH',
      'CONTENT_MISMATCH',
    ],
    [400, xml('EntityTooLarge'), 'TOO_LARGE', 'FILE_TOO_LARGE'],
    [411, xml('MissingContentLength'), 'LENGTH_UNKNOWN', 'INVALID_INPUT'],
    [
      501,
      '<Error><Code>NotImplemented</Code><Header>Transfer-Encoding</Header></Error>',
      'LENGTH_UNKNOWN',
      'INVALID_INPUT',
    ],
    [413, '', 'TOO_LARGE', 'FILE_TOO_LARGE'],
    [400, xml('BadDigest'), 'BODY_MISMATCH', 'CONTENT_MISMATCH'],
    [404, xml('NoSuchBucket'), 'NOT_FOUND', 'FILE_NOT_FOUND'],
  ])('that is refused with %i %s is %s', async (status, body, kind, code) => {
    const server = await serve((_, response) => response.writeHead(status).end(body));
    const url = `${server.url}/a.png${secret}`;
    const error = await failure<StorageRefusal>(
      storageOf().putObject({ issuer, url, contentType: 'x/y', body: bytes() }),
    );
    expect(error).toMatchObject({ name: 'StorageRefusal', kind, code, status });
    expect(JSON.stringify([error, error.faults, error.stack])).not.toContain('very-secret');
  });

  it('that is refused in JSON has the message of the storage', async () => {
    const server = await serve((_, response) =>
      response.writeHead(403).end('{"error":{"code":403,"message":"No access to this object"}}'),
    );
    const error = await failure<StorageRefusal>(
      storageOf().putObject({ issuer, url: server.url, contentType: 'x/y', body: bytes() }),
    );
    expect(error.faults[0]).toMatchObject({
      upstreamMessage: 'No access to this object',
      message: expect.stringContaining('refuses access'),
    });
  });

  it.each([
    [503, 'UPSTREAM_UNAVAILABLE'],
    [501, 'UPSTREAM_UNAVAILABLE'],
    [302, 'UPSTREAM_BAD_RESPONSE'],
  ])('that gets status %i is a failure of the storage', async (status, code) => {
    const server = await serve((_, response) => response.writeHead(status).end());
    const put = storageOf().putObject({ issuer, url: server.url, contentType: 'x/y', body: bytes() });
    expect(await failure(put)).toMatchObject({ name: 'UpstreamError', code });
  });

  it('that is refused before its bytes are read ends at once, and closes its source', async () => {
    const server = createServer((_, response) => {
      response.writeHead(403, { connection: 'close' }).end(xml('ExpiredToken'));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const body = new Readable({ read() {} }); // a browser that pauses
    body.push(Buffer.alloc(10));
    const url = `http://127.0.0.1:${port}/a.png`;
    const error = await failure(
      storageOf().putObject({ issuer, url, contentType: 'x/y', body, size: 1_000_000 }),
    );
    expect(error).toMatchObject({ kind: 'EXPIRED' });
    expect(body.destroyed).toBe(true);
    server.close();
  });

  it('with fewer bytes than announced is a fault of the body', async () => {
    const server = await serve((_, response) => response.end());
    const error = await failure(
      storageOf().putObject({
        issuer,
        url: server.url,
        contentType: 'x/y',
        body: Readable.from([Buffer.from('b')]),
        size: 2,
      }),
    );
    expect(error).toMatchObject({ kind: 'BODY_MISMATCH' });
  });

  it('that makes no progress times out', async () => {
    const server = await serve(() => {});
    const stuck = new Readable({ read() {} });
    const error = await failure(
      storageOf(100).putObject({ issuer, url: server.url, contentType: 'x/y', body: stuck }),
    );
    expect(error).toMatchObject({ code: 'UPSTREAM_TIMEOUT', upstream: 'STORAGE', maybeProcessed: true });
    const silent = await failure(
      storageOf(100).putObject({ issuer, url: server.url, contentType: 'x/y', body: bytes() }),
    );
    expect(silent).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  it('that waits behind a slow upload does not time out', async () => {
    const server = await serve((_, response) => response.end());
    const storage = storageOf(500, 1);
    const slow = new Readable({ read() {} });
    const trickle = setInterval(() => slow.push('a'), 20);
    const first = storage.putObject({ issuer, url: `${server.url}/1`, contentType: 'x/y', body: slow });
    const second = storage.putObject({ issuer, url: `${server.url}/2`, contentType: 'x/y', body: bytes() });
    setTimeout(() => {
      clearInterval(trickle);
      slow.push(null);
    }, 1_000);
    await Promise.all([first, second]);
    expect(server.received.map(({ url }) => url)).toEqual(['/1', '/2']);
  });

  it('does not wait for the slow uploads of another issuer, nor for readers that stop reading', async () => {
    const server = await serve((request, response) =>
      response.end(request.method === 'GET' ? Buffer.alloc(10_000_000) : ''),
    );
    const storage = storageOf(undefined, 1);
    const gone = new AbortController();
    const slow = new Readable({ read() {} });
    const stuck = { issuer: '0x02', url: server.url, contentType: 'x/y', signal: gone.signal };
    const held = storage.putObject({ ...stuck, body: slow });
    const unread = await storage.getObject({ ...stuck, issuer, range: {} });
    await storage.putObject({ issuer, url: `${server.url}/1`, contentType: 'x/y', body: bytes() });
    await storage.putObject({ issuer, url: `${server.url}/2`, contentType: 'x/y', body: bytes() });
    unread.body.on('error', () => {}).destroy();
    gone.abort();
    await expect(held).rejects.toBe(gone.signal.reason);
  });

  it('whose source fails rejects with the error of the source', async () => {
    const server = await serve((_, response) => response.end());
    const body = Readable.from(
      (async function* () {
        yield Buffer.from('b');
        throw new Error('the browser left');
      })(),
    );
    const error = await failure<Error>(
      storageOf().putObject({ issuer, url: server.url, contentType: 'x/y', body }),
    );
    expect(error.message).toBe('the browser left');
    expect(server.received).toHaveLength(0);
  });

  it.each([
    ['before it starts', (body: Readable) => body.destroy()],
    ['while it runs', (body: Readable) => setTimeout(() => body.destroy(), 50)],
  ])('whose source is closed %s fails at once', async (_when, close) => {
    const server = await serve((_, response) => response.end());
    const body = new Readable({ read() {} });
    close(body);
    const error = await failure(
      storageOf().putObject({ issuer, url: server.url, contentType: 'x/y', body, size: 5 }),
    );
    expect(error.message).toMatch(/source of the bytes/);
  });

  it('of an empty file is stored', async () => {
    const server = await serve((_, response) => response.end());
    await storageOf().putObject({
      issuer,
      url: server.url,
      contentType: 'x/y',
      body: Readable.from([]),
      size: 0,
    });
    expect(server.received[0]?.headers['content-length']).toBe('0');
  });

  it('that its caller aborts rejects with the abort reason', async () => {
    const server = await serve(() => {});
    const reason = new Error('stop');
    const signal = AbortSignal.any([AbortSignal.timeout(50)]);
    const error = await failure<Error>(
      storageOf().putObject({ issuer, url: server.url, contentType: 'x/y', body: bytes(), signal }),
    );
    expect(error).toBe(signal.reason);
    const early = {
      issuer,
      url: server.url,
      contentType: 'x/y',
      body: bytes(),
      signal: AbortSignal.abort(reason),
    };
    expect(await failure(storageOf().putObject(early))).toBe(reason);
  });

  it('to a closed port is unavailable, and was certainly not processed', async () => {
    const error = await failure(
      storageOf().putObject({ issuer, url: await closedPort(), contentType: 'x/y', body: bytes() }),
    );
    expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', maybeProcessed: false });
  });

  it('to an invalid address does not quote the address in its error', async () => {
    const error = await failure<Error>(
      storageOf().putObject({ issuer, url: `nonsense${secret}`, contentType: 'x/y', body: bytes() }),
    );
    expect(error).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
    expect(JSON.stringify([error, error.stack])).not.toContain('very-secret');
  });
});

describe('a download', () => {
  const read = (url: string, signal = new AbortController().signal) =>
    storageOf(500).getObject({ issuer, url, contentType: 'x/y', range: {}, signal });

  it.each([
    ['breaks off', (response: ServerResponse) => response.write('<Err', () => response.destroy())],
    ['stalls', (response: ServerResponse) => response.write('<Err')],
  ])('that is refused with a body that %s is classified by its status', async (_how, send) => {
    const server = await serve((_, response) => send(response.writeHead(404, { 'content-length': 1_000 })));
    expect(await failure(read(server.url))).toMatchObject({ name: 'StorageRefusal', code: 'FILE_NOT_FOUND' });
    const busy = await serve((_, response) => send(response.writeHead(503, { 'content-length': 1_000 })));
    expect(await failure(read(busy.url))).toMatchObject({ name: 'UpstreamError', status: 503 });
  });

  it('without a response times out', async () => {
    const server = await serve(() => {});
    expect(await failure(read(server.url))).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });

  it('that its reader aborts during a refusal rejects with the abort reason', async () => {
    const gone = new AbortController();
    const server = await serve((_, response) =>
      response.writeHead(404, { 'content-length': 1_000 }).write('<Err', () => gone.abort()),
    );
    expect(await failure(read(server.url, gone.signal))).toBe(gone.signal.reason);
  });

  it('from a busy storage fails with the Retry-After of the storage', async () => {
    const server = await serve((_, response) => response.writeHead(503, { 'retry-after': '7' }).end());
    expect(await failure(read(server.url))).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterMs: 7_000,
    });
  });
});
