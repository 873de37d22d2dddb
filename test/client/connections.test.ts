import { createHash } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { createClient, NoAnswerError, type Retry } from '@srr-gateway/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { pause } from '../../packages/client/dist/retry.js';
import { serve } from '../_util/http-server.ts';

it('a refused subscription whose body never ends counts as silent', { timeout: 10_000 }, async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(503, { 'content-type': 'application/json' }).write('{'),
  );
  const arrived = Promise.withResolvers<void>();
  const client = createClient({
    url,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      arrived.resolve();
      return response;
    },
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = client.subscribe('subscription { events { cursor } }')[Symbol.asyncIterator]().next();
  const failed = expect(first).rejects.toBeInstanceOf(NoAnswerError);
  await arrived.promise;
  await turn();
  vi.advanceTimersByTime(30_000);
  await failed;
});

it('a WebSocket with another protocol ends the subscription, but not the process', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => socket.send('hello'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  const client = createClient({ url, transport: 'websocket' });
  const following = client.follow({ from: 'BEGINNING', onEvent: () => {} });
  await expect(following).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: expect.stringMatching(/is not JSON/),
  });
});

it('an event that is not JSON ends the subscription, with an error that names its origin', async () => {
  const { url } = await serve((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: next\ndata: hello\n\n'),
  );
  const following = createClient({ url }).follow({ from: 'BEGINNING', onEvent: () => {} });
  const message = `${url} sent an event that is not JSON.`;
  await expect(following).rejects.toMatchObject({ code: 'BAD_ANSWER', message });
});

const query = '{ __typename }';
const noRetry = { retryForMs: 0 };

it('a query without an answer ends after timeoutMs, and says so', async () => {
  const { url } = await serve(() => {});
  const asked = createClient({ url, timeoutMs: 200, ...noRetry }).query(query);
  await expect(asked).rejects.toMatchObject({
    code: 'NO_ANSWER',
    message: `No answer from ${url} within 0.2 s.`,
  });
});

it('a call ends with its signal while it waits to be repeated', { timeout: 10_000 }, async () => {
  const { url } = await serve((_request, response) => response.writeHead(503, { 'retry-after': '60' }).end());
  const stop = new AbortController();
  const onRetry = () => void setTimeout(() => stop.abort(), 50);
  const asked = createClient({ url, onRetry }).query(query, {}, { signal: stop.signal });
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

it('a pause that is aborted leaves no timer, which would keep a process alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const pausing = pause(60_000, stop.signal);
  stop.abort();
  await expect(pausing).rejects.toMatchObject({ name: 'AbortError' });
  expect(vi.getTimerCount()).toBe(0);
});

it('an answer that is not of a gateway is not asked for again', async () => {
  const bodies = ['<html>', '{"data":null}', '{"data":{}}'];
  const { url, received } = await serve((_request, response, nth) => response.end(bodies[nth]));
  const client = createClient({ url });
  await expect(client.query(query)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: `${url} gave no GraphQL response (status 200). Is it the GraphQL endpoint of a gateway?`,
  });
  await expect(client.query(query)).rejects.toThrow('The response has no data.');
  const following = client.follow({ from: 'BEGINNING', onEvent: () => {} });
  await expect(following).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message: `${url} answered a subscription without a stream.`,
  });
  expect(received).toHaveLength(3);
});

const events = { 'content-type': 'text/event-stream' };

it('a stream that ends without `complete` counts as lost, and its `retry` is waited for', async () => {
  const { url } = await serve((_request, response) => response.writeHead(200, events).end('retry: 700\n\n'));
  const stop = new AbortController();
  const retries: Retry[] = [];
  const onRetry = (retry: Retry) => {
    retries.push(retry);
    stop.abort();
  };
  await createClient({ url }).follow({ from: 'BEGINNING', onEvent: () => {}, onRetry, signal: stop.signal });
  expect(retries).toMatchObject([{ waitMs: 700, error: { code: 'NO_ANSWER' } }]);
});

it('a subscription that is too slow goes on after its last event', async () => {
  const next = (result: object) => `event: next\ndata: ${JSON.stringify(result)}\n\n`;
  const event = (cursor: string) => next({ data: { events: { cursor } } });
  const lagged = next({ errors: [{ message: 'too slow', extensions: { code: 'SUBSCRIBER_LAGGED' } }] });
  const streams = [`${event('a')}${lagged}`, event('b')];
  const { url, received } = await serve((_request, response) =>
    response.writeHead(200, events).end(streams.shift()),
  );
  const stop = new AbortController();
  const cursors: string[] = [];
  const onEvent = ({ cursor }: { cursor: string }) => {
    cursors.push(cursor);
    if (cursor === 'b') stop.abort();
  };
  await createClient({ url }).follow({ from: 'BEGINNING', onEvent, signal: stop.signal });
  expect(cursors).toEqual(['a', 'b']);
  expect(received[1]?.json()).toMatchObject({ variables: { after: 'a' } });
});

const state = { id: 'i', requestId: 'r', status: 'PROCESSING' };

/** A gateway that knows one issuance, and answers each subscription with this stream. */
const serveIssuance = (stream: string) =>
  serve(({ body }, response) =>
    body.includes('FindIssuance')
      ? response.end(JSON.stringify({ data: { issuance: state } }))
      : response.writeHead(200, events).end(stream),
  );

it('a subscription that the gateway completes is renewed after a pause', async () => {
  const { url, received } = await serveIssuance('event: complete\ndata:\n\n');
  const client = createClient({ url });
  const signal = AbortSignal.timeout(600);
  await client.follow({ from: 'BEGINNING', onEvent: () => {}, signal });
  const issuing = client.issuance({ id: 'i' }, { signal: AbortSignal.timeout(600) });
  await expect(issuing.done).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(received.length).toBeGreaterThan(4);
  expect(received.length).toBeLessThan(10);
});

it('an issuance is followed through any number of lost connections, and each state is shown once', async () => {
  const next = (status: string) =>
    `event: next\ndata: ${JSON.stringify({ data: { issuance: { ...state, status } } })}\n\n`;
  const streams = [...Array(6).fill(next('PROCESSING')), next('COMPLETED')];
  const { url, received } = await serve(({ body }, response) =>
    body.includes('FindIssuance')
      ? response.end(JSON.stringify({ data: { issuance: state } }))
      : response
          .writeHead(200, events)
          .end(streams.shift() ?? `${next('COMPLETED')}event: complete\ndata:\n\n`),
  );
  const attempts: number[] = [];
  const onRetry = ({ attempt }: Retry) => attempts.push(attempt);
  const issuing = createClient({ url }).issuance({ id: 'i' }, { retryForMs: 600, onRetry });
  const states: string[] = [];
  for await (const { status } of issuing.status) states.push(status);
  expect(states).toEqual(['PROCESSING', 'COMPLETED']);
  expect(attempts).toEqual(Array(7).fill(1));
  // One more after COMPLETED: the stream that broke could not show that the subgraph has the records.
  expect(received.filter(({ body }) => body.includes('WatchIssuance'))).toHaveLength(8);
});

it('the promises of an issuance reject together, and none unhandled', async () => {
  const { url } = await serve((_request, response) => response.end('<html>'));
  const issuing = createClient({ url }).issue([], { requestId: 'r' });
  await sleep(200);
  expect(issuing.done).toBe(issuing.done);
  await expect(issuing.done).rejects.toMatchObject({ code: 'BAD_ANSWER' });
});

it('an issuance is not followed on after an error that a new connection would not solve', async () => {
  const error = { message: 'The token is not valid.', extensions: { code: 'UNAUTHENTICATED' } };
  const { url } = await serveIssuance(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`);
  const { done } = createClient({ url }).issuance({ id: 'i' });
  await expect(done).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

it('an issuance is sent with the batching that its caller chooses, if any', async () => {
  const { url, received } = await serve((_request, response) => {
    const issueSRRs = { issuance: state, userErrors: [] };
    response.end(JSON.stringify({ data: { issueSRRs } }));
  });
  const client = createClient({ url });
  const input = { requestId: 'r', batching: 'BATCHES_OF_250' as const };
  await client.issue([], input).stored;
  await client.issue([], { requestId: 'r' }).stored;
  expect(received.map((request) => request.json<{ variables: object }>().variables)).toEqual([
    { input: { ...input, entries: [] } },
    { input: { requestId: 'r', entries: [] } },
  ]);
});

it('all pages of the entries of an issuance are read, and one failed entry rejects issueAndWait', async () => {
  const final = { ...state, status: 'COMPLETED' };
  const { url } = await serve((request, response) => {
    const { query: text, variables } = request.json<{ query: string; variables: { after?: string } }>();
    const reply = (issuance: object) => response.end(JSON.stringify({ data: { issuance } }));
    if (text.includes('IssueSRRs'))
      return response.end(JSON.stringify({ data: { issueSRRs: { issuance: final, userErrors: [] } } }));
    if (text.includes('FindIssuance')) return reply(final);
    if (text.includes('WatchIssuance'))
      return response
        .writeHead(200, events)
        .end(
          `event: next\ndata: ${JSON.stringify({ data: { issuance: final } })}\n\nevent: complete\ndata:\n\n`,
        );
    const { after = '0' } = variables;
    const pageInfo = { hasNextPage: after !== '2', endCursor: `${Number(after) + 1}` };
    const node = { externalId: after, status: after === '1' ? 'FAILED' : 'ISSUED' };
    return reply({ ...final, entries: { edges: [{ node }], pageInfo } });
  });
  const client = createClient({ url });
  const { entries } = await client.issuance({ id: 'i' }).done;
  expect(entries.map(({ externalId }) => externalId)).toEqual(['0', '1', '2']);
  await expect(client.issueAndWait([], { requestId: 'r' })).rejects.toMatchObject({
    code: 'NOT_ISSUED',
    message: '1 of 3 records were not issued (COMPLETED).',
  });
});

/** A WebSocket server that hands each connection, and each subscription on it, to its caller. */
async function serveSockets(
  on: (socket: WebSocket, message: { type: string; payload?: { variables: { after?: string } } }) => void,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  server.on('connection', (socket) => socket.on('message', (text) => on(socket, JSON.parse(String(text)))));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
}

const ack = '{"type":"connection_ack"}';

it.each([
  [4400, { code: 'BAD_ANSWER', message: 'why' }],
  [4499, { code: 'BAD_ANSWER', message: 'why' }],
  [4408, undefined],
  [4500, undefined],
  [1001, undefined],
])('a WebSocket that is closed with %i ends `follow`, or is opened again', async (code, ends) => {
  const url = await serveSockets((socket) => socket.close(code, 'why'));
  const stop = new AbortController();
  const retries: Retry[] = [];
  const following = createClient({ url, transport: 'websocket' }).follow({
    from: 'BEGINNING',
    onEvent: () => {},
    onRetry: (retry) => {
      retries.push(retry);
      stop.abort();
    },
    signal: stop.signal,
  });
  if (ends) await expect(following).rejects.toMatchObject(ends);
  else await following;
  const message = `The live connection to ${new URL(url).origin} was lost (${code}).`;
  expect(retries).toMatchObject(ends ? [] : [{ error: { code: 'NO_ANSWER', message } }]);
});

it('a ping over a WebSocket is answered, and `complete` renews the subscription', async () => {
  const got: string[] = [];
  const stop = new AbortController();
  let listeners = 0;
  const url = await serveSockets((socket, { type }) => {
    got.push(type);
    if (type === 'connection_init') socket.send(ack);
    else if (type === 'subscribe') socket.send('{"type":"ping"}');
    else socket.send('{"id":"1","type":"complete"}');
    if (got.length < 6) return;
    listeners = getEventListeners(stop.signal, 'abort').length;
    stop.abort();
  });
  const client = createClient({ url, transport: 'websocket' });
  await client.follow({ from: 'BEGINNING', onEvent: () => {}, signal: stop.signal });
  const round = ['connection_init', 'subscribe', 'pong'];
  expect(got).toEqual([...round, ...round]);
  // A signal of a long life keeps nothing of connections and pauses that are over.
  expect(listeners).toBe(1);
});

it('a WebSocket that sends more than a slow reader takes is opened again after the last event', async () => {
  const total = 2_500;
  const url = await serveSockets((socket, { type, payload }) => {
    if (type === 'connection_init') return socket.send(ack);
    for (let i = Number(payload?.variables.after ?? 0) + 1; i <= total; i++)
      socket.send(
        JSON.stringify({ id: '1', type: 'next', payload: { data: { events: { cursor: `${i}` } } } }),
      );
  });
  const seen: string[] = [];
  const stop = new AbortController();
  let retries = 0;
  await createClient({ url, transport: 'websocket' }).follow({
    from: 'BEGINNING',
    onEvent: async ({ cursor }) => {
      seen.push(cursor);
      // Until the whole log has arrived.
      if (seen.length === 1) await sleep(500);
      if (seen.length === total) stop.abort();
    },
    onRetry: () => void retries++,
    signal: stop.signal,
  });
  expect(seen).toEqual(Array.from({ length: total }, (_, i) => `${i + 1}`));
  expect(retries).toBeGreaterThan(0);
});

it('a WebSocket counts as lost when nothing comes for half a minute, not even an answer to pings', async () => {
  let answers = 5;
  let pings = 0;
  const subscribed = Promise.withResolvers<void>();
  let pinged = Promise.withResolvers<void>();
  const url = await serveSockets((socket, { type }) => {
    if (type === 'connection_init') socket.send(ack);
    else if (type === 'subscribe') subscribed.resolve();
    else {
      pings++;
      if (answers-- > 0) socket.send('{"type":"pong"}');
      pinged.resolve();
    }
  });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = createClient({ url, transport: 'websocket' });
  const results = client.subscribe('subscription { events { cursor } }')[Symbol.asyncIterator]();
  let lost: unknown;
  const ended = results.next().catch((error) => {
    lost = error;
    pinged.resolve();
  });
  await subscribed.promise;
  for (let tens = 0; tens < 20 && !lost; tens++) {
    pinged = Promise.withResolvers();
    vi.advanceTimersByTime(10_000);
    await pinged.promise;
    // The pong arrives.
    await sleep(20);
  }
  await ended;
  expect(lost).toBeInstanceOf(NoAnswerError);
  // Three more, half a minute after the last answer.
  expect(pings).toBe(8);
});

describe('an upload', () => {
  const file = { filename: 'a.png', category: 'ARTWORK' as const, via: 'proxyUrl' as const };
  const sha256 = createHash('sha256').update('bytes').digest('hex');

  /** A gateway that answers the announcements, the uploads of the bytes, and the questions for the state in turn. */
  async function uploadTo(
    slot: object,
    answers: { put?: (response: ServerResponse) => unknown; states?: object[] },
  ) {
    const asked: string[] = [];
    const tokens: (string | undefined)[] = [];
    const states = answers.states?.values();
    const puts: ((response: ServerResponse) => unknown)[] = answers.put ? [answers.put] : [];
    const { url } = await serve(({ method, body, headers }, response) => {
      if (method === 'PUT') {
        asked.push('PUT');
        tokens.push(headers.authorization);
        const put = puts.shift();
        return put ? put(response) : response.end();
      }
      const reply = (data: object) => response.end(JSON.stringify({ data }));
      if (body.includes('CreateUploads')) {
        asked.push('announce');
        const proxyUrl = `http://${headers.host}/put`;
        return reply({
          createUploads: {
            uploads: [{ ...file, proxyUrl, signedUrl: proxyUrl, contentType: 'image/png', ...slot }],
            userErrors: [],
          },
        });
      }
      asked.push('state');
      return reply({ uploads: [{ id: 'u', hash: null, ...states?.next().value }] });
    });
    const upload = (options: object = {}, via: 'signedUrl' | 'proxyUrl' = file.via) =>
      createClient({ url, token: 't', ...options }).upload(new Blob(['bytes']), { ...file, via });
    return { asked, tokens, upload };
  }

  it('shows the token to the gateway, and never to the storage', async () => {
    const { tokens, upload } = await uploadTo({ status: 'AWAITING_BYTES' }, {});
    await upload({}, 'proxyUrl');
    await upload({}, 'signedUrl');
    expect(tokens).toEqual(['Bearer t', undefined]);
  });

  it.each([429, 503])('is repeated when the gateway, or a proxy of it, answers %i', async (status) => {
    const { asked, upload } = await uploadTo(
      { status: 'AWAITING_BYTES' },
      { put: (response) => response.writeHead(status).end() },
    );
    await upload();
    expect(asked).toEqual(['announce', 'PUT', 'announce', 'PUT']);
  });

  it('counts as lost when the other side accepts no bytes for a while', async () => {
    const { upload } = await uploadTo({ status: 'AWAITING_BYTES' }, { put: () => {} });
    const stalled = upload({ timeoutMs: 300, retryForMs: 0 });
    await expect(stalled).rejects.toMatchObject({
      code: 'NO_ANSWER',
      message: expect.stringMatching(/accepted no bytes/),
    });
  });

  it('of a file that the service could not use says why, and is not repeated', async () => {
    const { asked, upload } = await uploadTo({ status: 'FAILED', message: 'The file is broken.' }, {});
    await expect(upload()).rejects.toMatchObject({ code: 'FILE_NOT_READY', message: 'The file is broken.' });
    expect(asked).toEqual(['announce']);
  });

  it('under a used name waits for the hash of the file that is there', async () => {
    const known = { status: 'CALCULATING', hash: null };
    const same = await uploadTo(known, { states: [{}, { hash: `sha256-${sha256}` }] });
    expect(await same.upload()).toEqual({ id: 'u', hash: `sha256-${sha256}` });
    expect(same.asked).toEqual(['announce', 'state', 'state']);
    const other = await uploadTo(known, { states: [{ hash: 'sha256-other' }] });
    await expect(other.upload()).rejects.toMatchObject({ code: 'FILENAME_TAKEN' });
    expect(other.asked).toEqual(['announce', 'state']);
    const failed = await uploadTo(known, {
      states: [{}, { status: 'FAILED', message: 'The file is broken.' }],
    });
    await expect(failed.upload()).rejects.toMatchObject({
      code: 'FILE_NOT_READY',
      message: 'The file is broken.',
    });
    expect(failed.asked).toEqual(['announce', 'state', 'state']);
  });
});
