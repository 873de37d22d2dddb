import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createClient } from '@srr-gateway/client';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';

it('a WebSocket that speaks something else ends the subscription, and not the process', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => socket.send('hello'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const client = createClient({ url, transport: 'websocket' });
  const following = client.follow({ from: 'BEGINNING', onEvent: () => {} });
  await expect(following).rejects.toMatchObject({ code: 'BAD_ANSWER', message: /is not JSON/ });
});
