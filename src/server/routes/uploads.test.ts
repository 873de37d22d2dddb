import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished, vi } from 'vitest';
import { GatewayResponse } from '../response.ts';
import { createRouter, requestListener } from '../server.ts';
import { uploadRoutes } from './uploads.ts';

/** Serves uploads and downloads until the test ends, and returns the port. */
async function serve(deps: object, stallMs?: number): Promise<number> {
  const routes = uploadRoutes(deps as never, stallMs);
  const server = createServer({ ServerResponse: GatewayResponse });
  server.on(
    'request',
    requestListener(
      [
        createRouter(() => {
          throw new Error('not GraphQL');
        }, routes),
      ],
      silent,
    ),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const serveLinks = (byLink: (...args: unknown[]) => Promise<unknown>, stallMs?: number) =>
  serve({ uploads: { downloads: { byLink } } }, stallMs);

it.each(['PUT', 'GET'])('%s is cancelled when its caller leaves', async (method) => {
  const cancelled = Promise.withResolvers<void>();
  const wait = async (...parameters: unknown[]) => {
    (parameters.at(-1) as AbortSignal).addEventListener('abort', () => cancelled.resolve());
    sender.destroy();
    await cancelled.promise;
  };
  const caller = async () => ({ kind: 'issuer', scopes: new Set(['upload']), credentials: {} });
  const uploads = { receive: wait, downloads: { byCredentials: wait } };
  const port = await serve({ authenticator: { caller }, uploads });
  const sender = connect(port, '127.0.0.1');
  sender.write(`${method} /uploads/artwork/a.png HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\na`);
  await cancelled.promise;
});

it('a download whose reader stops reading is aborted, and so are those pipelined behind it', async () => {
  const opened: Readable[] = [];
  const port = await serveLinks(async () => {
    const body = new Readable({ read: () => body.push(Buffer.alloc(1_000_000)) });
    opened.push(body);
    return { status: 200, headers: {}, body };
  }, 100);
  const reader = connect(port, '127.0.0.1');
  onTestFinished(() => void reader.destroy());
  const request = 'GET /uploads/artwork/a.png?signature=x HTTP/1.1\r\nhost: x\r\n\r\n';
  reader
    .on('error', () => {})
    .pause()
    .write(request.repeat(3));
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});

it.each([
  ['GET', { range: 'bytes=0-9', 'if-range': '"a"' }, { range: 'bytes=0-9', 'if-range': '"a"' }],
  // The storage may answer several ranges with a body of another type.
  ['GET', { range: 'bytes=0-1,4-5' }, {}],
  ['HEAD', { range: 'bytes=0-9' }, {}],
])('the storage gets one range of a GET: %s %j', async (method, headers, passed) => {
  const byLink = vi.fn(async () => ({ status: 200, headers: {}, body: Readable.from('x') }));
  const port = await serveLinks(byLink);
  const url = `http://127.0.0.1:${port}/uploads/artwork/a.png?signature=x`;
  await (await fetch(url, { method, headers })).arrayBuffer();
  expect(byLink).toHaveBeenCalledWith('x', expect.anything(), passed, expect.anything());
});

it('HEAD does not read the file', async () => {
  const body = new Readable({ read: () => body.push(Buffer.alloc(1_000_000)) });
  const port = await serveLinks(async () => ({ status: 200, headers: {}, body }));
  await fetch(`http://127.0.0.1:${port}/uploads/artwork/a.png?signature=x`, { method: 'HEAD' });
  expect(body.destroyed).toBe(true);
});
