import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { silent } from '@srr-gateway/common/testing/database';
import { expect, it } from 'vitest';
import type { Hook } from './router.ts';
import { requestListener } from './server.ts';

it('asks no further hook about a caller that left while one looked it up', async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const lookedUp = Promise.withResolvers<void>();
  const reached: string[] = [];
  const hooks: Hook[] = [
    (_req, res) => {
      asked.resolve(res);
      return lookedUp.promise;
    },
    () => void reached.push('the next hook'),
  ];
  const server = createServer(requestListener(hooks, () => void reached.push('the route'), silent));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET /graphql HTTP/1.1\r\nhost: x\r\n\r\n');
  const res = await asked.promise;
  const left = once(res, 'close');
  socket.destroy();
  await left;
  lookedUp.resolve();
  // The hook's own continuation runs before this one.
  await lookedUp.promise;
  await new Promise(setImmediate);
  expect(reached).toEqual([]);
  server.close();
});
