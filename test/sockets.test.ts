import { once } from 'node:events';
import { Writable } from 'node:stream';
import { createLogger, type Logger } from '@srr-gateway/common/log';
import { getIntrospectionQuery } from 'graphql';
import { type Client, createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { openTables } from '../src/store/store.ts';
import { serve } from './_util/http-server.ts';
import {
  type LoneGateway,
  loneIssuer,
  loneToken,
  loneWebhookKey,
  startLoneGateway,
} from './_util/lone-gateway.ts';
import { metric } from './_util/metrics.ts';

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

/** How many queries there were, as somebody else is told meanwhile. */
const executed = () =>
  metric(gateway.address, 'srr_operation_duration_seconds_count', { kind: 'query', outcome: 'ok' });

/** What an operation is refused with, wherever the protocol has it stand. */
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
    ['a text that is no document', '{ a', 'GRAPHQL_PARSE_FAILED'],
    ['no text', '', 'GRAPHQL_PARSE_FAILED'],
    ['a field that there is not', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable that is missing',
      'query ($n: Int!) { srrs(first: $n) { edges { cursor } } }',
      'INVALID_INPUT',
    ],
    ['an id that is none', '{ node(id: "x") { id } }', 'INVALID_INPUT'],
    ['an issuance to follow without a token', 'subscription { issuance(id: "x") { id } }', 'UNAUTHENTICATED'],
    ['too much', `{ ${'a: __typename '.repeat(60)} }`, 'LIMIT_EXCEEDED'],
    [
      'two operations and no name',
      'query a { __typename } query b { __typename }',
      'OPERATION_RESOLUTION_FAILURE',
    ],
  ])('is refused with a code, as over HTTP, and the socket goes on: %s', async (_what, query, code) => {
    const client = connect();
    const closed = vi.fn();
    client.on('closed', closed);
    const [error] = await refusal(client, query);
    expect(error?.extensions).toMatchObject({ code });
    expect(error?.extensions).not.toHaveProperty('http');
    expect(await refusal(client, '{ __typename }')).toEqual([]);
    expect(closed).not.toHaveBeenCalled();
    await client.dispose();
  });

  it.each([
    ['says nothing of itself', {}, { data: { viewer: { issuer: loneIssuer } } }],
    ['says null', { authorization: null }, { data: { viewer: { issuer: loneIssuer } } }],
    ['says something that is no text', { Authorization: 5 }, { data: { viewer: null } }],
    [
      'says another token',
      { authorization: 'Bearer unknown' },
      [{ extensions: { code: 'UNAUTHENTICATED' } }],
    ],
  ])('is of the issuer that the upgrade names unless its first message %s', async (_what, said, told) => {
    class Named extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols, { headers: { authorization: `Bearer ${loneToken}` } });
      }
    }
    const client = connect(said, Named);
    const asked = client.iterate({ query: '{ viewer { issuer } }' }).next();
    const answer = await asked.then(
      ({ value }) => value,
      (refused: unknown) => refused,
    );
    expect(answer).toMatchObject(told);
    await client.dispose();
  });

  it('gets no details of a broken store, and works again when it is repaired', async () => {
    const db = await openTables(gateway.database);
    await sql`alter table gateway.access_token rename to access_token_away`.execute(db);
    const client = connect({ authorization: 'Bearer srr_of-the-store' });
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
  it('who leaves while its event waits for the subgraph is no failure in the log', async () => {
    const tokenId = '8'.repeat(30);
    const asked = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const index = await serve((request, response) => {
      if (!request.body.includes(tokenId)) return response.writeHead(503).end();
      asked.resolve();
      response.on('close', () => left.resolve());
    });
    // Without the registry's address its records are asked for by their token ids.
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
    await asked.promise;
    await client.dispose();
    await left.promise;
    await next.catch(() => {});
    // The next request goes through the same log.
    await slow.caller.ask('{ viewer { issuer } }');
    expect(logged).not.toContain('"level":50');
  });
});

describe('a socket', () => {
  it('has a number of subscriptions at a time: one more is refused by limit and value, the others go on', async () => {
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
    expect(errors()[0]?.payload).toMatchObject([
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
      'is no frame',
      1002,
      (socket: WebSocket) => void Reflect.get(socket, '_socket').write('\xff\xff\xff\xff'),
    ],
    ['is no message of the protocol', 4400, (socket: WebSocket) => socket.send('hello')],
    [
      'comes before a hello',
      4401,
      (socket: WebSocket) => socket.send('{"id":"1","type":"subscribe","payload":{"query":"{ a }"}}'),
    ],
  ])('whose client sends what %s is closed with a code, and quietly', async (_what, code, send) => {
    const socket = await open();
    const closed = once(socket, 'close');
    send(socket);
    const [told, reason] = (await closed) as [number, Buffer];
    expect(told).toBe(code);
    expect(String(reason)).not.toMatch(/ at |node_modules/);
    expect(logged).not.toContain('"level":50');
  });

  it.each([
    ['completes it', (socket: WebSocket) => socket.send('{"id":"1","type":"complete"}')],
    ['leaves', (socket: WebSocket) => socket.terminate()],
  ])(
    'whose client %s before the answer of a query cancels what the query waits for',
    async (_what, leave) => {
      const left = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      const whom = `0x${'7'.repeat(40)}`;
      const index = await serve((request, response) => {
        // Not what the gateway asks by itself.
        if (!request.body.includes(whom)) return response.writeHead(503).end();
        asked.resolve();
        response.on('close', () => left.resolve());
      });
      const slow = await startLoneGateway({ SUBGRAPH_URL: index.url, SUBGRAPH_TIMEOUT: '60' }, log);
      onTestFinished(() => slow.stop());
      const socket = new WebSocket(`${slow.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      await once(socket, 'open');
      const heard: string[] = [];
      socket.on('message', (data) => heard.push(JSON.parse(String(data)).type));
      socket.send('{"type":"connection_init"}');
      await once(socket, 'message');
      // Not a public read, which goes on for others who may ask the same.
      const query = `{ licensedUser(address: "${whom}") { address } issuances { edges { cursor } } }`;
      socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
      await asked.promise;
      leave(socket);
      await left.promise;
      // What comes back in the order of the socket shows that nothing more was said of the query.
      if (socket.readyState === WebSocket.OPEN) {
        socket.send('{"type":"ping"}');
        await expect.poll(() => heard).toEqual(['connection_ack', 'pong']);
      }
      expect(logged).not.toContain('"level":50');
      socket.terminate();
    },
  );

  it('leaves others their turn, however much it asks for at once', async () => {
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

  it('that comes with the old protocol is closed, and quietly', async () => {
    const socket = new WebSocket(address(), 'graphql-ws');
    socket.on('error', () => {});
    await new Promise((closed) => socket.on('close', closed));
  });
});
