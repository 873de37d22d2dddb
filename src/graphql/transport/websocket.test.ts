import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '@srr-gateway/common/log';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serveWebSocket } from './websocket.ts';

const megabyte = 1_000_000;

it('reads no more from who takes no answers, and goes on when it does', async () => {
  const server = createServer();
  const { clients } = serveWebSocket(server, async () => expect.unreachable(), {
    log: createLogger({ level: 'silent', name: 'test' }),
    maxOperations: 1,
    hold: () => undefined,
    spend: undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  try {
    await once(client, 'open');
    // A socket that is not initialised within seconds is closed, on a busy machine before the test is through.
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
    await expect.poll(() => pongs, { timeout: 10_000 }).toBe(pings);
  } finally {
    client.terminate();
    server.close();
  }
});

it('says where the WebSocket is to who looks for it elsewhere', async () => {
  const server = createServer();
  serveWebSocket(server, async () => expect.unreachable(), {
    log: createLogger({ level: 'silent', name: 'test' }),
    maxOperations: 1,
    hold: () => expect.unreachable(),
    spend: undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}/subscriptions`, 'graphql-transport-ws');
    const [, answer] = await once(client, 'unexpected-response');
    expect(answer.statusCode).toBe(404);
    expect(await text(answer)).toContain('/graphql');
  } finally {
    server.close();
  }
});

it('closes a socket whose parameters it would have to keep in memory', async () => {
  const server = createServer();
  serveWebSocket(server, async () => expect.unreachable(), {
    log: createLogger({ level: 'silent', name: 'test' }),
    maxOperations: 1,
    hold: () => undefined,
    spend: undefined,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws');
  try {
    await once(client, 'open');
    client.send(JSON.stringify({ type: 'connection_init', payload: { note: 'x'.repeat(20_000) } }));
    const [code, reason] = await once(client, 'close');
    expect(code).toBe(4400);
    expect(String(reason)).toContain('connection_init may have 16384 characters');
  } finally {
    client.terminate();
    server.close();
  }
});
