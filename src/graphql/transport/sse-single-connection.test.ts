import { type EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createLogger } from '@srr-gateway/common/log';
import { afterEach, expect, it } from 'vitest';
import type { OperationRunner } from './operation-runner.ts';
import { OperationStream, singleConnection } from './sse-single-connection.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function opened(stream: OperationStream): Promise<IncomingMessage> {
  server = createServer((_req, res) => stream.open(res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = request({ port: (server.address() as AddressInfo).port }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return response;
}

/** Results without an end, and how many of them were asked for. */
function endless() {
  const state = { taken: 0, ended: false };
  const results = (async function* () {
    while (!state.ended) yield 'x'.repeat(100_000 + (state.taken++ % 7));
  })();
  const end = results.return.bind(results);
  results.return = (value) => {
    state.ended = true;
    return end(value);
  };
  return { state, results };
}

it('takes no more of an operation than its reader takes, and goes on when it does', async () => {
  const stream = new OperationStream({ opened: () => {}, closed: () => {} });
  const response = await opened(stream);
  response.pause();
  const { state, results } = endless();
  const running = stream.run(stream.reserve('a'), results);
  const standstill = async () => {
    let before = -1;
    await expect
      .poll(
        () => {
          const same = state.taken === before;
          before = state.taken;
          return same;
        },
        { interval: 300 },
      )
      .toBe(true);
    return state.taken;
  };
  const held = await standstill();
  // What sockets hold is some megabytes; there is no end to what is offered.
  expect(held * 100_000).toBeLessThan(50_000_000);
  response.resume();
  await expect.poll(() => state.taken).toBeGreaterThan(held * 2 + 10);
  stream.stop('a');
  await running;
});

it('writes what an operation has given at once, so that none of it is held unseen', async () => {
  const stream = new OperationStream({ opened: () => {}, closed: () => {} });
  const held = Promise.withResolvers<number>();
  server = createServer((_req, res) => {
    stream.open(res);
    setImmediate(() => held.resolve(res.writableLength));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  async function* one() {
    yield 'x'.repeat(10_000_000);
  }
  for (const id of ['a', 'b', 'c']) stream.run(stream.reserve(id), one()).catch(() => {});
  const response = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  response.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  expect(await held.promise).toBeGreaterThan(25_000_000);
  response.destroy();
});

it('ends what runs on it with its reader, and what is begun later at once', async () => {
  let ended = 0;
  const stream = new OperationStream({ opened: () => {}, closed: () => ended++ });
  const response = await opened(stream);
  response.resume();
  const first = endless();
  const b = stream.reserve('b');
  const running = stream.run(stream.reserve('a'), first.results);
  await expect.poll(() => first.state.taken).toBeGreaterThan(10);
  response.destroy();
  // The write that met the end fails, or the end came between two: either way it stops.
  await running.catch(() => {});
  expect(first.state.ended).toBe(true);
  const late = endless();
  await stream.run(b, late.results);
  expect(late.state).toEqual({ taken: 0, ended: true });
  // One whose request was still being read when the reader left.
  const later = endless();
  await stream.run(stream.reserve('c'), later.results);
  expect(later.state).toEqual({ taken: 0, ended: true });
  expect(ended).toBe(1);
});

it('knows an operation from a later one under the same id', async () => {
  const stream = new OperationStream({ opened: () => {}, closed: () => {} });
  (await opened(stream)).resume();
  const stopped = stream.reserve('x');
  stream.stop('x');
  const second = endless();
  const slot = stream.reserve('x');
  // The first was still being prepared, and now comes late, with results or a refusal.
  const first = endless();
  await stream.run(stopped, first.results);
  stream.release(stopped);
  expect(first.state).toEqual({ taken: 0, ended: true });
  const running = stream.run(slot, second.results);
  await expect.poll(() => second.state.taken).toBeGreaterThan(10);
  stream.stop('x');
  await running;
  expect([second.state.ended, stream.size]).toEqual([true, 0]);
});

it('counts no stream against its caller that it does not reserve', async () => {
  const held: EventEmitter[] = [];
  const { handle } = singleConnection({} as OperationRunner, {
    log: createLogger({ level: 'silent', name: 'test' }),
    maxOperations: 1,
    maxReserved: 1,
    hold: (_req, end) => void held.push(end),
  });
  server = createServer((req, res) => {
    handle(req, res, new URL('http://gateway/graphql')).catch(({ status }) => res.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const put = async () => (await fetch(url, { method: 'PUT' })).status;
  expect([await put(), await put(), await put()]).toEqual([201, 429, 429]);
  expect(held).toHaveLength(1);
});
