import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openNatsLink } from './nats-link.ts';

/** A NATS server that answers pings until `silence` or a subscription, for which it calls `onSubscribe`. */
async function natsServer(
  onSubscribe?: (socket: Socket) => void,
): Promise<{ port: number; silence(): void }> {
  let silent = false;
  const server = createServer((socket) => {
    onTestFinished(() => void socket.destroy());
    socket
      .on('error', () => {})
      .write('INFO {"server_id":"x","version":"2.10.0","headers":true,"proto":1}\r\n');
    socket.on('data', (data) => {
      if (onSubscribe && /^SUB /m.test(String(data))) {
        silent = true;
        onSubscribe(socket);
      }
      if (!silent) for (const _ of String(data).matchAll(/^PING\r$/gm)) socket.write('PONG\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      silent = true;
    },
  };
}

it('a connection to a server that has stopped responding can be closed', async () => {
  const server = await natsServer();
  const link = await openNatsLink(`nats://127.0.0.1:${server.port}`, 'signals', () => {});
  server.silence();
  const startedAt = performance.now();
  await link.close();
  await link.ended;
  // Supervisors wait five seconds beyond DRAIN_TIMEOUT before they kill a process.
  expect(performance.now() - startedAt).toBeLessThan(3_000);
}, 20_000);

it.each<[string, (socket: Socket) => void, string]>([
  [
    'refuses the subscription',
    (socket) => socket.write('-ERR \'Permissions Violation for Subscription to "signals"\'\r\n'),
    'Permissions Violation',
  ],
  ['hangs up', (socket) => socket.end(), 'the connection ended'],
])('a connection fails when the server %s and then stops responding', async (_what, onSubscribe, error) => {
  let peer: Socket | undefined;
  const { port } = await natsServer((socket) => {
    peer = socket;
    onSubscribe(socket);
  });
  await expect(openNatsLink(`nats://127.0.0.1:${port}`, 'signals', () => {})).rejects.toThrow(error);
  // Or each new attempt would leave a connection open.
  await expect.poll(() => peer?.closed).toBe(true);
});
