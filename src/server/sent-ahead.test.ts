import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { sentAhead } from './sent-ahead.ts';

it('gives each request that was sent ahead a turn of its own, and all of them their answer', async () => {
  const gate = sentAhead();
  let begun = 0;
  const afterOneTurn = Promise.withResolvers<number>();
  const server = createServer(async (req, res) => {
    await gate(req, res, new URL('http://gateway/'));
    if (++begun === 1) setImmediate().then(() => afterOneTurn.resolve(begun));
    res.end('answered\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  client.on('data', (piece) => {
    text += piece;
  });
  client.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(20));
  expect(await afterOneTurn.promise).toBeLessThan(5);
  await expect.poll(() => text.match(/answered/g)).toHaveLength(20);
  client.destroy();
  await server[Symbol.asyncDispose]();
});
