import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { silent } from '@srr-gateway/common/testing/database';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpError } from '../lib/http-error.ts';
import { Connections } from './connections.ts';
import { limitConnections, limitSlowBodies, limitUnread, pipelining, streamLimit } from './limits.ts';
import { GatewayResponse, type Hook } from './response.ts';
import { requestListener } from './server.ts';

let server: Server;
const clients: Socket[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  if (server.listening) await server[Symbol.asyncDispose]();
});

const port = () => (server.address() as AddressInfo).port;

async function listen(prepare: (created: Server, connections: Connections) => Hook[]): Promise<void> {
  const created = createServer({ ServerResponse: GatewayResponse });
  server = created;
  const connections = new Connections(server);
  const hooks = [connections.track(() => {}), ...prepare(server, connections)];
  created.on('request', requestListener(hooks, silent));
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

function dial(): Socket {
  const client = connect(port(), '127.0.0.1').on('error', () => {});
  clients.push(client);
  return client;
}

describe('the limit on slow request bodies', () => {
  const start = () =>
    listen(() => [
      limitSlowBodies(silent, 100),
      (req, res, { pathname }) => {
        if (pathname === '/slow') return void setTimeout(() => res.writeHead(204).end(), 300);
        if (pathname === '/answered') return void res.writeHead(204).end();
        if (pathname !== '/graphql') throw new HttpError(404, 'There is nothing here.');
        req.resume();
      },
    ]);

  it('answers a body that trickles in with 408, and closes the connection', async () => {
    await start();
    const socket = dial();
    socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na');
    // A byte every 10 ms keeps the connection active, but does not extend the time limit.
    const trickle = setInterval(() => socket.write('b'), 10);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    await new Promise((closed) => socket.on('close', closed));
    clearInterval(trickle);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('connection: close');
    expect(answer).toContain('The body did not arrive within 0 seconds.');
  });

  it('also closes the connection when a body still trickles in after the response', async () => {
    await start();
    const socket = dial();
    socket.write('OPTIONS /answered HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\na');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 204 /);
    // A write after the end of the connection causes a reset.
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const trickle = setInterval(() => socket.write('b'), 10);
    await closed;
    clearInterval(trickle);
  });

  it('does not apply to a complete body that is not read in this time', async () => {
    await start();
    const answer = await fetch(`http://127.0.0.1:${port()}/slow`, { method: 'POST', body: 'a' });
    expect(answer.status).toBe(204);
  });

  it('does not apply to uploads', async () => {
    await start();
    const socket = dial();
    socket.write('PUT /uploads/artwork/a.png HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\na');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    // This server has no such route; a 404 shows that the time limit did not apply.
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  });
});

describe('pipelining', () => {
  it('handles each pipelined request in its own turn of the event loop, and responds to all', async () => {
    let begun = 0;
    const afterOneTurn = Promise.withResolvers<number>();
    await listen((_created, connections) => [
      pipelining(connections),
      (_req, res) => {
        if (++begun === 1) setImmediate().then(() => afterOneTurn.resolve(begun));
        res.end('answered\n');
      },
    ]);
    const client = dial();
    let text = '';
    client.on('data', (piece) => {
      text += piece;
    });
    client.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(20));
    expect(await afterOneTurn.promise).toBeLessThan(5);
    await expect.poll(() => text.match(/answered/g)).toHaveLength(20);
  });

  it('handles a request without delay when the response to the previous one has been sent', async () => {
    const turns: unknown[] = [];
    await listen((_created, connections) => {
      const hook = pipelining(connections);
      return [
        (...requestArgs) => void turns.push(hook(...requestArgs)),
        (_req, res) => void res.end('answered\n'),
      ];
    });
    const client = dial();
    for (let n = 0; n < 3; n++) {
      client.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
      await once(client, 'data');
    }
    expect(turns).toEqual([undefined, undefined, undefined]);
  });
});

describe('the limit on unread responses', () => {
  /** Larger than the buffers of a connection. */
  const answer = Buffer.alloc(30_000_000);
  const maxBytes = 2.5 * answer.length;
  let accepted: Socket[];

  const start = () =>
    listen((created, connections) => {
      accepted = [];
      created.on('connection', (socket) => accepted.push(socket));
      limitUnread(created, connections, { maxBytes, everyMs: 20 });
      return [(_req, res) => void res.end(answer)];
    });

  /** Sends a request, reads nothing, and waits until the server has unsent bytes of the response. */
  async function askAndStall(): Promise<void> {
    const which = clients.length;
    dial().pause().write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
    await expect.poll(() => accepted[which]?.writableLength).toBeGreaterThan(0);
  }

  const cutOff = () => accepted.map(({ destroyed }) => destroyed);

  it('cuts off the connections with the longest stall until the rest is below the limit', async () => {
    await start();
    await askAndStall();
    await askAndStall();
    await askAndStall();
    await expect.poll(cutOff).toEqual([true, false, false]);
    await askAndStall();
    await expect.poll(cutOff).toEqual([true, true, false, false]);
  });

  it('counts responses that are queued behind another one on the same connection', async () => {
    await start();
    dial().pause().write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(4));
    await expect.poll(cutOff).toEqual([true]);
  });

  it('does not affect a client that reads', async () => {
    await start();
    await askAndStall();
    await askAndStall();
    const response = await fetch(`http://127.0.0.1:${port()}/`);
    expect((await response.arrayBuffer()).byteLength).toBe(answer.length);
  });
});

const from = (address: string) =>
  ({ socket: {}, headers: { 'x-forwarded-for': address } }) as unknown as IncomingMessage;

it('the limit on streams counts those that are open at one address', () => {
  const admit = streamLimit(1, 1);
  const first = new EventEmitter();
  expect(admit(from('192.0.2.1'), first)).toBeUndefined();
  expect(admit(from('192.0.2.1'), new EventEmitter())).toContain('(MAX_STREAMS)');
  expect(admit(from('192.0.2.2'), new EventEmitter())).toBeUndefined();
  first.emit('close');
  expect(admit(from('192.0.2.1'), new EventEmitter())).toBeUndefined();
});

it('callers may use half of a small limit of open files, and more callers are refused', async () => {
  server = createServer();
  limitConnections(server, silent, 4);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const call = async () => {
    const socket = dial().resume();
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
