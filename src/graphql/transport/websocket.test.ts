import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Logger } from '@srr-gateway/common/log';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { serveWebSocket } from './websocket.ts';

const megabyte = 1_000_000;

/** A server for WebSockets only, which is closed when the test ends. */
async function socketServer(admitStream: () => string | undefined = () => undefined) {
  const server = createServer();
  const log = { debug: vi.fn(), error: vi.fn() };
  const prepare = vi.fn(async () => expect.unreachable());
  const { clients } = serveWebSocket(server, prepare, {
    log: log as unknown as Logger,
    maxOperations: 1,
    admitStream,
    chargeRequest: undefined,
    originRefusal: () => undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const client of clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connect = (path: string, options = {}) =>
    new WebSocket(`ws://127.0.0.1:${port}${path}`, 'graphql-transport-ws', options);
  return { clients, connect, prepare, log };
}

it('the server does not read from a client while the client does not read replies', async () => {
  const { clients, connect } = await socketServer();
  const client = connect('/graphql');
  await once(client, 'open');
  // A socket that is not initialised within seconds is closed; on a slow machine the test takes longer.
  client.send(JSON.stringify({ type: 'connection_init' }));
  await once(client, 'message');
  const [held] = clients;
  client.pause();
  const pings = 60;
  const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(0.9 * megabyte) } });
  for (let i = 0; i < pings; i++) client.send(ping);
  await expect.poll(() => held?.isPaused, { timeout: 10_000 }).toBe(true);
  expect(held?.bufferedAmount).toBeLessThan(5 * megabyte);
  let pongs = 0;
  client.on('message', () => pongs++);
  client.resume();
  await expect.poll(() => pongs, { timeout: 30_000 }).toBe(pings);
});

it('an upgrade at another path is answered with 404 and the path of the WebSocket', async () => {
  const { connect } = await socketServer(() => expect.unreachable());
  const [, answer] = await once(connect('/subscriptions'), 'unexpected-response');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/plain']);
  expect(await text(answer)).toContain('/graphql');
});

it('an upgrade may have a query string', async () => {
  const { connect } = await socketServer();
  await once(connect('/graphql?page=1'), 'open');
});

it('a socket is closed when its connection_init payload is too long', async () => {
  const { connect } = await socketServer();
  const client = connect('/graphql');
  await once(client, 'open');
  client.send(JSON.stringify({ type: 'connection_init', payload: { note: 'x'.repeat(20_000) } }));
  const [code, reason] = await once(client, 'close');
  expect(code).toBe(4400);
  expect(String(reason)).toContain('connection_init may have 16384 characters');
});

it('a socket executes nothing that it got after a message that closes it', async () => {
  const { connect, prepare } = await socketServer();
  const client = connect('/graphql');
  await once(client, 'open');
  client.send('{"type":"connection_init"}');
  await once(client, 'message');
  client.send('no message');
  client.send('{"type":"subscribe","id":"a","payload":{"query":"{ a }"}}');
  const [code] = await once(client, 'close');
  expect(code).toBe(4400);
  expect(prepare).not.toHaveBeenCalled();
});

it('the server pings each client, and ends a socket that has not answered by the next ping', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { clients, connect } = await socketServer();
  const there = connect('/graphql');
  await once(there, 'open');
  const [held] = clients;
  const gone = connect('/graphql', { autoPong: false });
  await once(gone, 'open');
  const pong = once(held as WebSocket, 'pong');
  const pings = [there, gone].map((client) => once(client, 'ping'));
  vi.advanceTimersByTime(12_000);
  await Promise.all([...pings, pong]);
  const closed = once(gone, 'close');
  vi.advanceTimersByTime(12_000);
  expect(await closed).toEqual([1006, Buffer.alloc(0)]);
  expect(there.readyState).toBe(WebSocket.OPEN);
  there.terminate();
  await expect.poll(() => vi.getTimerCount()).toBe(0);
});

it('a socket is closed with 4500 when an operation cannot be prepared, and the error is logged', async () => {
  const { connect, log } = await socketServer();
  const client = connect('/graphql');
  await once(client, 'open');
  client.send('{"type":"connection_init"}');
  await once(client, 'message');
  client.send('{"type":"subscribe","id":"a","payload":{"query":"{ a }"}}');
  const [code] = await once(client, 'close');
  expect(code).toBe(4500);
  expect(log.error).toHaveBeenCalledOnce();
});

it('a reply to a client that has vanished is not logged as an error', async () => {
  const { clients, connect, log } = await socketServer();
  const client = connect('/graphql');
  await once(client, 'open');
  const [held] = clients;
  client.pause();
  const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(0.9 * megabyte) } });
  for (let i = 0; i < 20; i++) client.send(ping);
  await expect.poll(() => held?.isPaused).toBe(true);
  client.terminate();
  await expect
    .poll(() => log.debug.mock.calls.map(([, message]) => message))
    .toContain('a message could not be sent');
  expect(log.error).not.toHaveBeenCalled();
});
