import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it, onTestFinished } from 'vitest';
import { limitConnections } from './open-files.ts';

it('half of a small limit of open files is for callers; others are refused until one leaves', async () => {
  const server = createServer();
  limitConnections(server, silent, 4);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const call = async () => {
    const socket = connect(port, '127.0.0.1').resume();
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const accepted = async () => {
    const [[peer], caller] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, call()]);
    return { peer, caller };
  };
  const { peer, caller } = await accepted();
  await accepted();
  await once(await call(), 'close');
  caller.destroy();
  await once(peer.resume(), 'close');
  await accepted();
  expect(server.maxConnections).toBe(2);
});
