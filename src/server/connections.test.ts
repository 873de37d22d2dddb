import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { silent } from '@srr-gateway/common/testing/database';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections } from './connections.ts';
import { GatewayResponse } from './response.ts';
import { createHttpServer, type Handler, requestListener } from './server.ts';

/** The Accept header that many GraphQL clients send with every operation. */
const accept = 'application/graphql-response+json, application/json, text/event-stream';
const eventStream = { 'content-type': 'text/event-stream' };

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  // A drain may have closed it already.
  server.close(() => {});
});

const ended: [pathname: string, status: number][] = [];

async function listen(route: Handler): Promise<Connections> {
  const created = createServer({ ServerResponse: GatewayResponse });
  const connections = new Connections(created);
  const track = connections.track((...response) => ended.push(response));
  created.on('request', requestListener([track, route], silent));
  server = created;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return connections;
}

const ask = (headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, {
    headers: { accept, ...headers },
  });

describe('a drain', () => {
  it('waits for a response that is not an event stream, even if the client accepts one', async () => {
    const slow = Promise.withResolvers<void>();
    const connections = await listen(async (req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
      await slow.promise;
      res.end('{}}');
      req.resume();
    });
    const answer = await ask();
    const drained = connections.drain(5_000);
    // This is longer than any pause between two checks of the drain.
    setTimeout(slow.resolve, 400);
    expect(await answer.json()).toEqual({ data: {} });
    await drained;
    expect(ended.splice(0)).toEqual([['/graphql', 200]]);
  });

  it('answers a request on a kept connection that arrives as it begins', async () => {
    const connections = await listen((_req, res) => void res.end('answer'));
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    const request = 'GET /graphql HTTP/1.1\r\nHost: gateway\r\n\r\n';
    client.write(request);
    await once(client, 'data');
    client.write(request);
    const drained = connections.drain(5_000);
    // A balancer sends requests on new connections to another replica.
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await text(client)).toMatch(/^HTTP\/1.1 200 OK\r\n.*connection: close.*answer$/is);
    await drained;
    expect(ended.splice(0)).toHaveLength(2);
  });

  it('ends an event stream between two events, and tells the client when to reconnect', async () => {
    const connections = await listen((_req, res) => {
      res.writeHead(200, eventStream).write('data: 1\n\n');
    });
    const answer = await ask();
    expect(connections.countEventStreams()).toBe(1);
    await connections.drain(5_000);
    expect(await answer.text()).toMatch(/^data: 1\n\n: the gateway stops\nretry: \d{1,4}\n\n$/);
    expect(connections.countEventStreams()).toBe(0);
  });

  it('cuts off a response that is still open at its end', async () => {
    const connections = await listen((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
    });
    const answer = await ask();
    await connections.drain(100);
    await expect(answer.text()).rejects.toThrow('terminated');
  });

  it('tells each client, also of a request that arrives meanwhile, not to send another', async () => {
    const slow = Promise.withResolvers<void>();
    const { server: whole, connections } = createHttpServer({
      graphql: async (_req, res) => {
        await slow.promise;
        res.writeHead(200, eventStream).end();
      },
      routes: [],
      publicUrl: undefined,
      corsOrigins: '*',
      chargeRequest: undefined,
      log: silent,
    });
    server = whole;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const dial = async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await once(server, 'connection');
      return socket;
    };
    const [early, late] = [await dial(), await dial()];
    early.write('GET /graphql HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(server, 'request');
    const drained = connections.drain(5_000);
    late.write('GET /graphql HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(server, 'request');
    slow.resolve();
    for (const answer of [await text(early), await text(late)])
      expect(answer.toLowerCase().match(/^connection: .*$/gm)).toEqual(['connection: close']);
    await drained;
  });
});

it('a connection is forgotten once it is closed', async () => {
  const connections = await listen((_req, res) => void res.writeHead(200).end());
  const asked = ask({ connection: 'close' });
  await once(server, 'request');
  expect(connections.responses.size).toBe(1);
  await (await asked).text();
  await expect.poll(() => connections.responses.size).toBe(0);
});
