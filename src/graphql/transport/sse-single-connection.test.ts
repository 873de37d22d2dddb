import { type EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Logger } from '@srr-gateway/common/log';
import { silent } from '@srr-gateway/common/testing/database';
import { afterEach, expect, it, vi } from 'vitest';
import type { PreparedOperation, PrepareOperation, SharedConnectionOptions } from './operation-runner.ts';
import { OperationStream, singleConnection } from './sse-single-connection.ts';

let server: Server | undefined;
/** The response that an opened stream writes to. */
let written: ServerResponse | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function opened(stream: OperationStream): Promise<IncomingMessage> {
  server = createServer((_req, res) => {
    written = res;
    stream.open(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asking = request({ port: (server.address() as AddressInfo).port }).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return response;
}

/** Endless results, and the number that was taken. */
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

async function* lastResult() {
  yield 'last';
}

it('a stream pauses its operations while its reader does not read', async () => {
  const stream = new OperationStream();
  const response = await opened(stream);
  response.pause();
  const { state, results } = endless();
  const running = stream.send('a', stream.begin('a'), results);
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
  // The buffers of the sockets hold some megabytes; the operation would yield without end.
  expect(held * 100_000).toBeLessThan(50_000_000);
  response.resume();
  await expect.poll(() => state.taken).toBeGreaterThan(held * 2 + 10);
  stream.operations.get('a')?.abort();
  await running;
  expect(written?.listenerCount('drain')).toBe(0);
});

it('a stream writes each result at once, so that the connection counts its bytes as unread', async () => {
  const stream = new OperationStream();
  const held = Promise.withResolvers<number>();
  server = createServer((_req, res) => {
    stream.open(res);
    setImmediate(() => held.resolve(res.writableLength));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  async function* one() {
    yield 'x'.repeat(2_500_000);
  }
  // More operations wait for room than Node expects of listeners.
  const warn = vi.spyOn(process, 'emitWarning');
  for (const id of 'abcdefghijkl') stream.send(id, stream.begin(id), one()).catch(() => {});
  const response = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  response.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n');
  expect(await held.promise).toBeGreaterThan(25_000_000);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
  response.destroy();
});

it('a stream ends its operations when its reader disconnects, and later ones at once', async () => {
  let ended = 0;
  const stream = new OperationStream();
  stream.on('close', () => ended++);
  const response = await opened(stream);
  response.resume();
  const first = endless();
  const b = stream.begin('b');
  const running = stream.send('a', stream.begin('a'), first.results);
  await expect.poll(() => first.state.taken).toBeGreaterThan(10);
  response.destroy();
  // The reader may disconnect during a write, which then fails, or between two writes.
  await running.catch(() => {});
  expect(first.state.ended).toBe(true);
  const late = endless();
  await stream.send('b', b, late.results);
  expect(late.state.taken).toBe(0);
  // An operation whose request was still being read when the reader disconnected.
  const later = endless();
  await stream.send('c', stream.begin('c'), later.results);
  expect(later.state.taken).toBe(0);
  expect(ended).toBe(1);
});

it('a stream distinguishes a stopped operation from a later one with the same id', async () => {
  const stream = new OperationStream();
  let said = '';
  (await opened(stream)).on('data', (piece) => {
    said += piece;
  });
  const stopped = stream.begin('x');
  stopped.abort();
  const second = endless();
  const operation = stream.begin('x');
  // The stopped operation was still being prepared, and sends its results only now.
  const first = endless();
  await stream.send('x', stopped, first.results);
  stopped.abort();
  expect(first.state.taken).toBe(0);
  const running = stream.send('x', operation, second.results);
  await expect.poll(() => second.state.taken).toBeGreaterThan(10);
  operation.abort();
  await running;
  expect([second.state.ended, stream.operations.size]).toEqual([true, 0]);
  // A `complete` could end a later operation with the same id.
  await stream.send('y', stream.begin('y'), lastResult());
  await expect.poll(() => said).toContain('"last"');
  expect(said.match(/event: complete\ndata: .*/g)).toEqual(['event: complete\ndata: {"id":"y"}']);
});

/** Serves single connections, and returns the server's address. */
async function serve(
  { admitStream = () => undefined, log = silent }: Partial<SharedConnectionOptions>,
  reserved: Parameters<typeof singleConnection>[2],
  prepare: PrepareOperation = async () => expect.unreachable(),
) {
  const { handle } = singleConnection(prepare, { log, maxOperations: 1, admitStream }, reserved);
  server = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://gateway');
    handle(req, res, url).catch(({ status }) => res.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

it('a refused stream does not count against its caller', async () => {
  const held: EventEmitter[] = [];
  const url = await serve({ admitStream: (_req, end) => void held.push(end) }, { maxReserved: 1 });
  const put = async () => (await fetch(url, { method: 'PUT' })).status;
  expect([await put(), await put(), await put()]).toEqual([201, 429, 429]);
  expect(held).toHaveLength(1);
});

it('a reservation makes room for another once it is opened, or was not opened in time', async () => {
  const url = await serve({}, { maxReserved: 1, forMs: 1_000 });
  const put = () => fetch(url, { method: 'PUT' });
  const headers = { accept: 'text/event-stream' };
  const token = await (await put()).text();
  const open = async () => (await fetch(`${url}?token=${token}`, { headers })).status;
  expect(await open()).toBe(200);
  expect([(await put()).status, (await put()).status]).toEqual([201, 429]);
  await expect.poll(async () => (await put()).status).toBe(201);
  // The open stream goes on.
  expect(await open()).toBe(409);
});

it('an operation whose results fail is logged, and frees its id', async () => {
  const log = { error: vi.fn() };
  async function* failing() {
    yield await Promise.reject(new Error('a bug'));
  }
  const prepare = async () => ({ results: failing() }) as unknown as PreparedOperation;
  const url = await serve({ log: log as unknown as Logger }, {}, prepare);
  const token = await (await fetch(url, { method: 'PUT' })).text();
  await fetch(`${url}?token=${token}`, { headers: { accept: 'text/event-stream' } });
  const headers = { 'content-type': 'application/json', 'x-graphql-event-stream-token': token };
  const body = JSON.stringify({ query: '{ a }', extensions: { operationId: 'x' } });
  const operate = async () => (await fetch(url, { method: 'POST', headers, body })).status;
  expect(await operate()).toBe(202);
  await expect.poll(() => log.error.mock.calls.length).toBe(1);
  expect(await operate()).toBe(202);
});
