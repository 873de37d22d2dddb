import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { boundedSocket } from './bounded-connection.ts';

/** A socket to a server that accepts all bytes and never responds. */
async function toSilentServer(isBounded: () => boolean): Promise<Socket> {
  const server = createServer((peer) => peer.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = boundedSocket(isBounded, 20);
  onTestFinished(async () => {
    socket.destroy();
    server.close();
    await once(server, 'close');
  });
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

it('breaks with its own error code when the server is silent', async () => {
  const socket = await toSilentServer(() => true);
  socket.write('select 1');
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: 'ETIMEDOUT', message: expect.stringContaining('silent') });
  expect(socket.destroyed).toBe(true);
});

it('waits without a limit until the limit applies', async () => {
  const socket = await toSilentServer(() => false);
  socket.write('create index');
  await once(socket, 'timeout');
  expect(socket.destroyed).toBe(false);
});
