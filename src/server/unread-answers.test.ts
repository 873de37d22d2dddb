import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { boundUnread } from './unread-answers.ts';

/** More than the buffers of a connection take. */
const answer = Buffer.alloc(30_000_000);
const maxBytes = 2.5 * answer.length;

let server: Server;
let accepted: Socket[];
const clients: Socket[] = [];

beforeEach(async () => {
  accepted = [];
  server = createServer((_req, res) => res.end(answer)).on('connection', (socket) => accepted.push(socket));
  boundUnread(server, { maxBytes, everyMs: 20 });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await server[Symbol.asyncDispose]();
});

const port = () => (server.address() as AddressInfo).port;

/** Asks, reads nothing, and waits until its answer waits for it. */
async function askAndStall(): Promise<void> {
  const client = connect(port(), '127.0.0.1').on('error', () => {});
  clients.push(client);
  client.pause().write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  const which = clients.length - 1;
  await expect.poll(() => accepted[which]?.writableLength).toBeGreaterThan(0);
}

const cutOff = () => accepted.map(({ destroyed }) => destroyed);

it('cuts off who has kept an answer waiting for longest, as many as are too many', async () => {
  await askAndStall();
  await askAndStall();
  await askAndStall();
  await expect.poll(cutOff).toEqual([true, false, false]);
  await askAndStall();
  await expect.poll(cutOff).toEqual([true, true, false, false]);
});

it('counts answers that wait behind another on one connection', async () => {
  const client = connect(port(), '127.0.0.1').on('error', () => {});
  clients.push(client);
  client.pause().write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(4));
  await expect.poll(cutOff).toEqual([true]);
});

it('answers who reads in the meantime', async () => {
  await askAndStall();
  await askAndStall();
  const response = await fetch(`http://127.0.0.1:${port()}/`);
  expect((await response.arrayBuffer()).byteLength).toBe(answer.length);
});
