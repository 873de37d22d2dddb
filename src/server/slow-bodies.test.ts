import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { silent } from '@srr-gateway/common/testing/database';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpServer } from './server.ts';
import { slowBodies } from './slow-bodies.ts';

let port: number;
let stop: () => Promise<void>;
beforeEach(async () => {
  const server = createHttpServer(
    [],
    { path: '/graphql', handle: (req) => void req.resume() },
    [slowBodies(100)],
    silent,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
  stop = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  };
});
afterEach(() => stop());

it('a body that trickles in is 408, and the connection ends', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na');
  // Each byte shows that the sender lives, and gains it nothing.
  const trickle = setInterval(() => socket.write('b'), 10);
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece;
  });
  await new Promise((closed) => socket.on('close', closed));
  clearInterval(trickle);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

it('an upload may take its time', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('PUT /uploads/artwork/a.png HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  // Here is no such route: whatever it says, it is not about time.
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  socket.destroy();
});
