import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { createLogger, type Logger } from '@srr-gateway/common/log';
import { getIntrospectionQuery } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openTables } from '../../src/store/store.ts';
import { serve } from '../_util/http-server.ts';
import {
  type LoneGateway,
  loneIssuer,
  loneToken,
  loneWebhookKey,
  startLoneGateway,
} from '../_util/lone-gateway.ts';
import { metric } from '../_util/metrics.ts';

let gateway: LoneGateway;
let log: Logger;
let logged = '';
const printed = vi.fn();

beforeAll(async () => {
  const destination = new Writable({
    write(line, _encoding, done) {
      logged += line;
      done();
    },
  });
  log = createLogger({ level: 'debug', name: 'test', destination });
  gateway = await startLoneGateway({}, log);
});
afterAll(() => gateway?.stop());
beforeEach(() => {
  logged = '';
  printed.mockReset();
  for (const way of ['error', 'warn', 'log'] as const) vi.spyOn(console, way).mockImplementation(printed);
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(printed, 'nothing is written past the log').not.toHaveBeenCalled();
});

const address = () => `${gateway.address.replace('http', 'ws')}/graphql`;

function connect(connectionParams: Record<string, unknown> = {}, webSocketImpl: object = WebSocket): Client {
  return createClient({
    url: address(),
    webSocketImpl,
    connectionParams,
    retryAttempts: 0,
    lazy: false,
  });
}

interface Refusal {
  message: string;
  extensions?: Record<string, unknown>;
}

/** The number of executed queries, read over another connection. */
const executed = () =>
  metric(gateway.address, 'srr_operation_duration_seconds_count', { kind: 'query', outcome: 'ok' });

/** The errors of an operation, whether they come in an `error` message or in a result. */
async function refusal(client: Client, query: string, operationName?: string): Promise<Refusal[]> {
  try {
    for await (const { errors } of client.iterate({ query, operationName: operationName ?? null }))
      return (errors ?? []) as unknown as Refusal[];
  } catch (error) {
    if (Array.isArray(error)) return error as Refusal[];
    throw error;
  }
  return [];
}

describe('an operation over a socket', () => {
  it.each([
    ['a syntax error', '{ a', 'GRAPHQL_PARSE_FAILED'],
    ['an empty document', '', 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['a missing variable', 'query ($n: Int!) { srrs(first: $n) { edges { cursor } } }', 'INVALID_INPUT'],
    ['an invalid id', '{ node(id: "x") { id } }', 'INVALID_INPUT'],
    ['a subscription without a token', 'subscription { issuance(id: "x") { id } }', 'UNAUTHENTICATED'],
    ['too many aliases', `{ ${'a: __typename '.repeat(60)} }`, 'LIMIT_EXCEEDED'],
    [
      'two operations without operationName',
      'query a { __typename } query b { __typename }',
      'OPERATION_RESOLUTION_FAILURE',
    ],
  ])(
    'is refused with the same code as over HTTP, and the connection stays open: %s',
    async (_what, query, code) => {
      const client = connect();
      const closed = vi.fn();
      client.on('closed', closed);
      const [error] = await refusal(client, query);
      expect(error?.extensions).toMatchObject({ code });
      expect(error?.extensions).not.toHaveProperty('http');
      expect(await refusal(client, '{ __typename }')).toEqual([]);
      expect(closed).not.toHaveBeenCalled();
      await client.dispose();
    },
  );

  it.each([
    ['has no credentials', {}, { data: { viewer: { issuer: loneIssuer } } }],
    ['has a null token', { authorization: null }, { data: { viewer: { issuer: loneIssuer } } }],
    ['has a token that is not a string', { Authorization: 5 }, { data: { viewer: null } }],
    ['has another token', { authorization: 'Bearer unknown' }, [{ extensions: { code: 'UNAUTHENTICATED' } }]],
  ])(
    'has the credentials of the upgrade request unless connection_init has some: it %s',
    async (_what, payload, expected) => {
      class Named extends WebSocket {
        constructor(url: string, protocols: string) {
          super(url, protocols, { headers: { authorization: `Bearer ${loneToken}` } });
        }
      }
      const client = connect(payload, Named);
      const result = client.iterate({ query: '{ viewer { issuer } }' }).next();
      const answer = await result.then(
        ({ value }) => value,
        (refused: unknown) => refused,
      );
      expect(answer).toMatchObject(expected);
      await client.dispose();
    },
  );

  it('gets an errorId while the store is broken, and works again once the store is repaired', async () => {
    const db = await openTables(gateway.database);
    await sql`alter table gateway.access_token rename to access_token_away`.execute(db);
    const client = connect({ authorization: `Bearer srr_${randomUUID()}` });
    const closed = vi.fn();
    client.on('closed', closed);
    const [error] = await refusal(client, '{ viewer { issuer } }');
    expect(error).toMatchObject({ extensions: { code: 'UNKNOWN_ERROR', errorId: expect.any(String) } });
    expect(JSON.stringify(error)).not.toContain('access_token');
    expect(logged).toContain(String(error?.extensions?.errorId));
    await sql`alter table gateway.access_token_away rename to access_token`.execute(db);
    expect(await refusal(client, '{ viewer { issuer } }')).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
    expect(closed).not.toHaveBeenCalled();
    await client.dispose();
  });
});

describe('a subscriber', () => {
  it('that disconnects while its event waits for the subgraph causes no error in the log', async () => {
    const tokenId = '8'.repeat(30);
    const received = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const index = await serve((request, response) => {
      if (!request.body.includes(tokenId)) return response.writeHead(503).end();
      received.resolve();
      response.on('close', () => left.resolve());
    });
    // Without REGISTRY_ADDRESS, records are looked up by their token ids.
    const slow = await startLoneGateway({ SUBGRAPH_URL: index.url, SUBGRAPH_TIMEOUT: '60' }, log);
    onTestFinished(() => slow.stop());
    const client = createClient({
      url: `${slow.address.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: slow.caller.headers,
      retryAttempts: 0,
    });
    const start = await slow.caller.data('{ events { headCursor } }');
    const query = `subscription { events(after: "${start.events.headCursor}") { ... on SRRIssued { srr { owner } } } }`;
    const events = client.iterate({ query });
    const next = events.next();
    const delivered = await fetch(`${slow.address}/webhooks/commerce`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': loneWebhookKey },
      body: JSON.stringify({ type: 'issue_complete', data: [{ externalId: 'a', tokenId }] }),
    });
    expect(delivered.status).toBe(200);
    await received.promise;
    await client.dispose();
    await left.promise;
    await next.catch(() => {});
    // An error would be in the log before the line of the next request.
    await slow.caller.ask('{ viewer { issuer } }');
    expect(logged).not.toContain('"level":50');
  });
});

describe('a socket', () => {
  it('has at most MAX_SOCKET_OPERATIONS subscriptions: one more is refused, and the others continue', async () => {
    const socket = await open();
    const answers: { id?: string; type: string; payload?: Refusal[] }[] = [];
    socket.on('message', (data) => answers.push(JSON.parse(String(data))));
    const say = (message: object) => socket.send(JSON.stringify(message));
    const follow = (id: number) =>
      say({ id: String(id), type: 'subscribe', payload: { query: 'subscription { events { cursor } }' } });
    const errors = () => answers.filter(({ type }) => type === 'error');
    say({ type: 'connection_init', payload: gateway.caller.headers });
    await expect.poll(() => answers.length).toBe(1);
    for (let id = 1; id <= 102; id++) follow(id);
    await expect.poll(() => errors().map(({ id }) => id)).toEqual(['101', '102']);
    expect(errors()[0]?.payload).toEqual([
      {
        message: expect.stringContaining('100 (MAX_SOCKET_OPERATIONS)'),
        extensions: { code: 'LIMIT_EXCEEDED', limit: 'socketOperations', allowed: 100, measured: 101 },
      },
    ]);
    say({ id: '1', type: 'complete' });
    follow(103);
    say({ id: 'last', type: 'subscribe', payload: { query: '{ nothing }' } });
    await expect.poll(() => errors().map(({ id }) => id)).toEqual(['101', '102', 'last']);
    expect(answers.filter(({ type }) => type === 'complete')).toEqual([]);
    socket.close();
  });

  const open = async () => {
    const socket = new WebSocket(address(), 'graphql-transport-ws');
    await once(socket, 'open');
    return socket;
  };

  it.each([
    ['is too long', 1009, (socket: WebSocket) => socket.send('x'.repeat(1_000_001))],
    [
      'is not a frame',
      1002,
      (socket: WebSocket) => void Reflect.get(socket, '_socket').write('\xff\xff\xff\xff'),
    ],
    ['is not a message of the protocol', 4400, (socket: WebSocket) => socket.send('hello')],
    [
      'comes before connection_init',
      4401,
      (socket: WebSocket) => socket.send('{"id":"1","type":"subscribe","payload":{"query":"{ a }"}}'),
    ],
  ])(
    'whose client sends data that %s is closed with a code, without an error in the log',
    async (_what, code, send) => {
      const socket = await open();
      const closed = once(socket, 'close');
      send(socket);
      const [actual, reason] = (await closed) as [number, Buffer];
      expect(actual).toBe(code);
      expect(String(reason)).not.toMatch(/ at |node_modules/);
      expect(logged).not.toContain('"level":50');
    },
  );

  it.each([
    ['completes a query', (socket: WebSocket) => socket.send('{"id":"1","type":"complete"}')],
    ['disconnects', (socket: WebSocket) => socket.terminate()],
  ])('whose client %s early cancels the upstream request of the query', async (_what, leave) => {
    const left = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const userAddress = `0x${'7'.repeat(40)}`;
    const index = await serve((request, response) => {
      // Refuse the gateway's own queries.
      if (!request.body.includes(userAddress)) return response.writeHead(503).end();
      received.resolve();
      response.on('close', () => left.resolve());
    });
    const slow = await startLoneGateway({ SUBGRAPH_URL: index.url, SUBGRAPH_TIMEOUT: '60' }, log);
    onTestFinished(() => slow.stop());
    const socket = new WebSocket(`${slow.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const types: string[] = [];
    socket.on('message', (data) => types.push(JSON.parse(String(data)).type));
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    // Not a public read, which would continue for other callers of the same query.
    const query = `{ licensedUser(address: "${userAddress}") { address } issuances { edges { cursor } } }`;
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
    await received.promise;
    leave(socket);
    await left.promise;
    // Messages are in order, so a pong right after the acknowledgement shows that the query sent nothing.
    if (socket.readyState === WebSocket.OPEN) {
      socket.send('{"type":"ping"}');
      await expect.poll(() => types).toEqual(['connection_ack', 'pong']);
    }
    expect(logged).not.toContain('"level":50');
    socket.terminate();
  });

  it('with many expensive queries at once does not block other clients', async () => {
    const socket = new WebSocket(address(), 'graphql-transport-ws');
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await once(socket, 'message');
    let answered = 0;
    socket.on('message', (data) => {
      if (String(data).includes('"next"')) answered++;
    });
    const questions = 30;
    const before = await executed();
    for (let id = 0; id < questions; id++) {
      const query = `# ${id}\n${getIntrospectionQuery()}`;
      socket.send(JSON.stringify({ id: `${id}`, type: 'subscribe', payload: { query } }));
    }
    expect((await executed()) - before).toBeLessThan(questions / 2);
    await expect.poll(() => answered, { timeout: 20_000 }).toBe(questions);
    socket.terminate();
  });

  it('with the old subprotocol graphql-ws is closed', async () => {
    const socket = new WebSocket(address(), 'graphql-ws');
    socket.on('error', () => {});
    await new Promise((closed) => socket.on('close', closed));
  });
});
