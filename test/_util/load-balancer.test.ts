import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadBalancer } from './load-balancer.ts';

/** The port of a server that sends its name on each connection. */
async function named(name: string): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end(name));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it('a connection whose server is left out while it connects goes to the next server', async () => {
  const ports = [await named('first'), await named('second')];
  const balancer = await loadBalancer(ports);
  onTestFinished(() => balancer.close());
  const client = new Socket();
  // Node publishes each client socket before it connects; the other one belongs to the balancer.
  const leaveOut = (message: unknown) => {
    if ((message as { socket: Socket }).socket !== client)
      queueMicrotask(() => balancer.leaveOut(ports.slice(0, 1)));
  };
  subscribe('net.client.socket', leaveOut);
  onTestFinished(() => void unsubscribe('net.client.socket', leaveOut));
  client.connect(Number(new URL(balancer.url).port), '127.0.0.1');

  expect(await client.toArray().then(String)).toBe('second');
}, 5_000);
