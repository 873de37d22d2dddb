import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient as createSseClient } from 'graphql-sse';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type GatewayProcess, gatewayProcess } from '../_util/gateway-process.ts';
import { GraphQLCaller } from '../_util/graphql-caller.ts';

const token = 'a-token-with-every-scope';
const issuer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** A service that holds all requests until the test answers them. */
let service: Server;
let held: { url: string; res: ServerResponse }[] = [];
let environment: Record<string, string>;
let gateway: GatewayProcess;
let caller: GraphQLCaller;

beforeAll(async () => {
  service = createServer(
    (req, res) => void req.resume().once('end', () => held.push({ url: req.url ?? '', res })),
  );
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const upstream = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  environment = {
    COMMERCE_URL: upstream,
    SUBGRAPH_URL: `${upstream}/subgraph`,
    IPFS_GATEWAYS: upstream,
    ISSUERS: JSON.stringify([
      { address: issuer, apiKey: 'an-api-key', tokens: [{ token, scopes: ['read', 'upload', 'issue'] }] },
    ]),
  };
  gateway = await gatewayProcess({ env: environment });
  caller = new GraphQLCaller(gateway.url, { authorization: `Bearer ${token}` });
});
beforeEach(async () => {
  held = [];
  await gateway.start();
});
afterEach(() => gateway.stop('SIGKILL'));
afterAll(async () => {
  service?.closeAllConnections();
  service?.close();
  await gateway?.remove();
});

const outcomes = 'subscription { miningOutcomes { __typename } }';

/** Whether the query for `sources` is under way. Work of an earlier test may call the service as well. */
const isQueryHeld = () => held.some(({ url }) => url.startsWith('/ipfs/'));

/** Stops the gateway, and returns its exit code and the time that it took. */
function stopping(): Promise<{ code: number | null; tookMs: number }> {
  const startedAt = Date.now();
  return gateway.stop('SIGTERM').then((code) => ({ code, tookMs: Date.now() - startedAt }));
}

describe('a gateway that gets a signal to stop', () => {
  it('exits with code 0 on SIGHUP, when its terminal is closed', async () => {
    expect(await gateway.stop('SIGHUP')).toBe(0);
  });

  it('answers the requests under way, closes idle connections, and refuses new ones', async () => {
    const { port } = new URL(gateway.url);
    const [idle, unused] = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
    const probe = 'GET /health/ready HTTP/1.1\r\nhost: gateway\r\n\r\n';
    idle.write(probe);
    expect(String((await once(idle, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    const closed = once(idle, 'close');
    const answer = caller.ask('{ sources { kind health } }');
    await expect.poll(isQueryHeld).toBe(true);
    const stopped = stopping();
    await expect
      .poll(() =>
        fetch(`${gateway.url}/health/live`).then(
          () => 'accepted',
          () => 'refused',
        ),
      )
      .toBe('refused');
    await closed;
    unused.write(probe);
    expect(String((await once(unused, 'data'))[0])).toMatch(/^HTTP\/1\.1 503 /);
    for (const { res } of held) res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    const { status, data } = await answer;
    expect(status).toBe(200);
    expect(data.sources).toHaveLength(4);
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('ends event streams between two events, so that clients reconnect', async () => {
    const controller = new AbortController();
    const response = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ query: outcomes }),
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    const text = response.text();
    const client = createSseClient({
      url: `${gateway.url}/graphql`,
      headers: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    const connected = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    client.subscribe(
      { query: outcomes },
      { next: () => {}, error: ended.resolve, complete: () => ended.resolve('complete') },
      { connected: () => connected.resolve() } as never,
    );
    const { code, tookMs } = await stopping();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(3_000);
    // The body ends properly. A broken connection would reject here.
    const responseText = await text;
    expect(responseText).not.toContain('event: complete');
    // The reconnection time comes last, so that it is in effect.
    expect(responseText).toMatch(/retry: \d{1,4}\n\n$/);
    // The client takes it for a lost connection, which it retries, and not for the end of the subscription.
    expect(await ended.promise).not.toBe('complete');
    client.dispose();
  });

  it('closes WebSockets with 1001, and does not wait for one that does not answer', async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const silent = await deafSocket(gateway.url);
    const { code, tookMs } = await stopping();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(4_000);
    expect((await closed)[0]).toBe(1001);
    silent.destroy();
  });

  it('stops within 10 s despite work that never ends, and continues the work at the next start', async () => {
    const input = { requestId: 'held', entries: [record] };
    const { issueSRRs } = await caller.data(
      'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } userErrors { message } } }',
      { input },
    );
    expect(issueSRRs.userErrors).toEqual([]);
    const { id } = issueSRRs.issuance;
    // The request to issue is under way, and a caller waits for a response too.
    await expect.poll(() => held.some(({ url }) => url.endsWith('/srrs')), { timeout: 10_000 }).toBe(true);
    const waiting = caller.ask('{ sources { kind } }').catch(() => 'cut off');
    const { code, tookMs } = await stopping();
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(10_000);
    await waiting;
    held = [];
    await gateway.start();
    await expect
      .poll(
        async () => (await caller.data('query ($id: ID!) { issuance(id: $id) { status } }', { id })).issuance,
      )
      .toEqual({ status: 'OUTCOME_UNKNOWN' });
    await expect.poll(() => held.some(({ url }) => url.endsWith('/srrs')), { timeout: 25_000 }).toBe(true);
  });

  it('takes two signals within moments for one, because npm may repeat the signal of the terminal', async () => {
    const answer = caller.ask('{ sources { kind health } }');
    await expect.poll(isQueryHeld).toBe(true);
    const stopped = gateway.stop('SIGINT');
    await expect.poll(() => gateway.output()).toContain('stopping');
    gateway.signal('SIGINT');
    for (const { res } of held) res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    expect((await answer).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('ends at once on a second signal', async () => {
    void caller.ask('{ sources { kind health } }').catch(() => {});
    await expect.poll(isQueryHeld).toBe(true);
    const stopped = stopping();
    // Long enough after the first signal to count as a second one.
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    const signalledAt = Date.now();
    gateway.signal('SIGTERM');
    expect((await stopped).code).toBe(1);
    // Without it the drain would take more than eight seconds from here.
    expect(Date.now() - signalledAt).toBeLessThan(5_000);
  });
});

/** Messages of PostgreSQL's protocol: the client is accepted, and may send a query. */
const accepted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

describe('a start whose database accepts a connection and answers no query', () => {
  it('goes on at SIGHUP with an issuers file, and ends within 10 s of SIGTERM', async () => {
    const asked = Promise.withResolvers<void>();
    const database = createTcpServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => {
          socket.write(accepted);
          socket.once('data', () => asked.resolve());
        });
    });
    await once(database.listen(0, '127.0.0.1'), 'listening');
    const { port } = database.address() as { port: number };
    const folder = mkdtempSync(join(tmpdir(), 'stop-'));
    const file = join(folder, 'issuers.json');
    const { ISSUERS = '', ...others } = environment;
    writeFileSync(file, ISSUERS);
    const starting = await gatewayProcess({
      env: {
        ...others,
        ISSUERS_FILE: file,
        DATABASE_URL: `postgres://gateway@127.0.0.1:${port}/records`,
        SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
      // Loaded before the start, which would otherwise load it while the driver waits.
      nodeArguments: ['--import', './src/app.ts'],
    });
    onTestFinished(async () => {
      await starting.stop('SIGKILL');
      await starting.remove();
      database.close();
      rmSync(folder, { recursive: true });
    });
    starting.launch();
    await asked.promise;
    // The system delivers SIGHUP first, whose number is lower.
    starting.signal('SIGHUP');
    const signalledAt = Date.now();
    expect(await starting.stop('SIGTERM')).toBe(0);
    expect(Date.now() - signalledAt).toBeLessThan(10_000);
  });
});

describe('npm start', () => {
  it('stops the gateway when only npm gets the signal', async () => {
    const started = await gatewayProcess({ npm: true, env: environment });
    await started.start();
    await started.stop('SIGTERM');
    await expect
      .poll(() =>
        fetch(`${started.url}/health/live`).then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('down');
    await started.remove();
  });
});

/** A record whose pictures need no upload, so that it is issued right away. */
const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const record = {
  externalId: 'held-1',
  artistAddress: issuer,
  isPrimaryIssuer: true,
  lockExternalTransfer: false,
  metadata: {
    name: 'Held',
    title: { en: 'Held' },
    medium: { en: 'Ink' },
    yearOfCreation: { en: '2026' },
    thumbnail: { ipfs: `ipfs://${cid}` },
    image: { ipfs: `ipfs://${cid}` },
  },
};

/** A WebSocket client that reads nothing after the handshake, not even a close frame. */
async function deafSocket(url: string) {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await once(socket, 'data');
  socket.pause();
  return socket;
}
