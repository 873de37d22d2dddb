import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { createClient, NoAnswerError } from '@srr-gateway/client';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { serve } from '../_util/http-server.ts';

it('a refused subscription whose body never ends counts as silent', { timeout: 10_000 }, async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(503, { 'content-type': 'application/json' }).write('{'),
  );
  const arrived = Promise.withResolvers<void>();
  const client = createClient({
    url,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      arrived.resolve();
      return response;
    },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = client.subscribe('subscription { events { cursor } }')[Symbol.asyncIterator]().next();
  const failed = expect(first).rejects.toBeInstanceOf(NoAnswerError);
  await arrived.promise;
  await turn();
  vi.advanceTimersByTime(30_000);
  await failed;
});

it('a WebSocket with another protocol ends the subscription, but not the process', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => socket.send('hello'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const client = createClient({ url, transport: 'websocket' });
  const following = client.follow({ from: 'BEGINNING', onEvent: () => {} });
  await expect(following).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: expect.stringMatching(/is not JSON/),
  });
});

it('an event that is not JSON ends the subscription, with an error that names its origin', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: next\ndata: hello\n\n'),
  );
  const following = createClient({ url }).follow({ from: 'BEGINNING', onEvent: () => {} });
  const message = `${url} sent an event that is not JSON.`;
  await expect(following).rejects.toMatchObject({ code: 'BAD_ANSWER', message });
});
