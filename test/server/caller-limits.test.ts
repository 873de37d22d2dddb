import { once } from 'node:events';
import { connect } from 'node:net';
import { type Address, parseAddress } from '@srr-gateway/common/address';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { makeToken } from '../../src/access/stored-tokens.ts';
import { openTables } from '../../src/store/store.ts';
import { newCallerAddress, newCallerNetwork } from '../_util/caller-address.ts';
import { postQuery } from '../_util/graphql-caller.ts';
import { serve } from '../_util/http-server.ts';
import { type LoneGateway, loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';
import { postMcp } from '../_util/mcp-client.ts';
import { metric } from '../_util/metrics.ts';
import { waitForFreshMinute } from '../_util/rate-limit-minute.ts';

const limits = { RATE_LIMIT: '20', MAX_STREAMS: '3', TRUSTED_PROXIES: '1' };
let gateway: LoneGateway;
beforeAll(async () => {
  gateway = await startLoneGateway(limits);
});
afterAll(() => gateway?.stop());

describe('a caller that sends too many requests', () => {
  const from = (address: string) => ({ 'x-forwarded-for': `10.0.0.1, ${address}` });
  beforeEach(() => waitForFreshMinute());

  it('gets 429 with Retry-After once its budget is spent, without affecting others', async () => {
    const caller = from(newCallerAddress());
    const first = await postQuery(gateway.address, '{ __typename }', caller);
    expect(first.headers.get('ratelimit-policy')).toMatch(/^"minute";q=20;w=60(, |$)/);
    expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=19;t=\d+(, |$)/);
    let last = first;
    for (let n = 0; n < 25 && last.status === 200; n++)
      last = await postQuery(gateway.address, '{ __typename }', caller);
    expect(last.status).toBe(429);
    const retryAfter = Number(last.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(await last.json()).toMatchObject({
      errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter } }],
    });
    expect((await postQuery(gateway.address, '{ __typename }', from(newCallerAddress()))).status).toBe(200);
    // Probes do not count.
    expect((await fetch(`${gateway.address}/health/live`, { headers: caller })).status).toBe(200);
  });

  it('gets no new budget by forging X-Forwarded-For, or by another address in its network', async () => {
    const codes = [];
    const network = newCallerNetwork();
    for (let n = 0; n < 25; n++)
      codes.push(
        (
          await postQuery(gateway.address, '{ __typename }', {
            'x-forwarded-for': `198.51.100.${n}, ${network}::${n}`,
          })
        ).status,
      );
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
  });

  it('gets no new budget by another port or a malformed address', async () => {
    const codes = [];
    const address = newCallerAddress();
    for (let n = 0; n < 25; n++)
      codes.push(
        (await postQuery(gateway.address, '{ __typename }', from(`${address}:${5_000 + n}`))).status,
      );
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
    const nonsense = [];
    for (let n = 0; n < 25; n++)
      nonsense.push((await postQuery(gateway.address, '{ __typename }', from(`009.9.9.${n}`))).status);
    expect(nonsense).toContain(429);
  });

  it('gets no new budget by made-up tokens, while a valid token has its own', async () => {
    const codes = [];
    const guesser = from(newCallerAddress());
    for (let n = 0; n < 25; n++)
      codes.push(
        (
          await postQuery(gateway.address, '{ __typename }', {
            ...guesser,
            authorization: `Bearer guess-${n}`,
          })
        ).status,
      );
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(401));
    expect(codes.slice(20)).toEqual(Array(5).fill(429));
    const token = { authorization: 'Bearer lone-token-all-scopes' };
    expect(
      (await postQuery(gateway.address, '{ viewer { issuer } }', { ...from(newCallerAddress()), ...token }))
        .status,
    ).toBe(200);
    expect((await postQuery(gateway.address, '{ viewer { issuer } }', { ...guesser, ...token })).status).toBe(
      200,
    );
  });
});

describe('a token whose address has no budget left', () => {
  const address = { 'x-forwarded-for': newCallerAddress() };
  const viewer = '{ viewer { issuer } }';
  const refusals = () => metric(gateway.address, 'srr_budget_refusals_total', { budget: 'requests' });

  beforeEach(async () => {
    await waitForFreshMinute();
    let status = 200;
    while (status === 200) ({ status } = await postQuery(gateway.address, '{ __typename }', address));
    expect(status).toBe(429);
  });

  it.each(['of the configuration', 'of the store'])(
    'has a budget of its own from its first request on: one %s',
    async (kind) => {
      const db = await openTables(gateway.database);
      const issuer = parseAddress(loneIssuer) as Address;
      const { token } =
        kind === 'of the store'
          ? await makeToken(db, { issuer, scopes: ['read'], note: 'a neighbour of a flood' })
          : { token: 'lone-token-read' };
      const before = await refusals();
      const { status } = await postQuery(gateway.address, viewer, {
        ...address,
        authorization: `Bearer ${token}`,
      });
      expect(status).toBe(200);
      expect(await refusals()).toBe(before);
    },
  );

  it('has a budget of its own on a WebSocket, too, if it comes in the first message', async () => {
    class Forwarded extends WebSocket {
      constructor(url: string, protocol: string) {
        super(url, protocol, { headers: address });
      }
    }
    const over = async (connectionParams: Record<string, string>) => {
      const client = createClient({
        url: `${gateway.address.replace('http', 'ws')}/graphql`,
        webSocketImpl: Forwarded,
        connectionParams,
      });
      try {
        const { value } = await client.iterate({ query: viewer }).next();
        return value?.data;
      } catch (errors) {
        return errors;
      } finally {
        await client.dispose();
      }
    };
    const before = await refusals();
    const [refused] = (await over({})) as [{ extensions: { code: string; retryAfter: number } }];
    expect(refused.extensions.code).toBe('RATE_LIMITED');
    expect(refused.extensions.retryAfter).toBeGreaterThan(0);
    expect(refused.extensions.retryAfter).toBeLessThanOrEqual(60);
    expect(await refusals()).toBe(before + 1);
    expect(await over({ authorization: 'Bearer lone-token-upload' })).toEqual({
      viewer: { issuer: loneIssuer },
    });
    expect(await refusals()).toBe(before + 1);
  });

  it.each<[string, (headers: Record<string, string>) => Promise<Response>]>([
    ['GraphQL', (headers) => postQuery(gateway.address, viewer, headers)],
    [
      'an event stream',
      (headers) => postQuery(gateway.address, viewer, { ...headers, accept: 'text/event-stream' }),
    ],
    ['plain HTTP', (headers) => fetch(`${gateway.address}/records`, { headers })],
    ['a message of an agent', (headers) => postMcp(gateway.address, '{}', headers)],
    ['a file', (headers) => fetch(`${gateway.address}/uploads/any`, { method: 'PUT', body: 'x', headers })],
  ])('is counted once for each refusal if it is missing or made up: %s', async (_, send) => {
    const before = await refusals();
    expect((await send(address)).status).toBe(429);
    expect(await refusals()).toBe(before + 1);
    expect((await send({ ...address, authorization: 'Bearer made-up' })).status).toBe(429);
    expect(await refusals()).toBe(before + 2);
  });

  it('has no budget of its own if it is made up', async () => {
    for (const token of ['srr_made-up', 'made-up'])
      expect(
        (await postQuery(gateway.address, viewer, { ...address, authorization: `Bearer ${token}` })).status,
      ).toBe(429);
  });
});

describe('streams and sockets that stay open', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const feed = 'subscription { events { cursor } }';
  const token = { authorization: 'Bearer lone-token-all-scopes' };

  it('do not include a refused upgrade, which is closed whatever its sender does', async () => {
    const url = `${gateway.address.replace('http', 'ws')}/graphql`;
    const address = newCallerAddress();
    const headers = from(address);
    const held = [1, 2, 3].map(() => new WebSocket(url, 'graphql-transport-ws', { headers }));
    await Promise.all(held.map((one) => once(one, 'open')));
    const { port, hostname } = new URL(gateway.address);
    // A client that never closes its own side.
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const closed = new Promise((resolve) => socket.once('close', resolve).on('error', () => {}));
    let output = '';
    socket.on('data', (piece) => {
      output += piece;
    });
    socket.write(
      `GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nx-forwarded-for: ${address}\r\n\r\n`,
    );
    await expect.poll(() => output).toContain('429');
    const talking = setInterval(() => socket.write('more'), 20);
    await closed.finally(() => clearInterval(talking));
    for (const one of held) one.close();
  });

  it('are limited per address, with or without a token, until they end', async () => {
    const [address, other] = [newCallerAddress(), newCallerAddress()];
    const ends: (() => void)[] = [];
    onTestFinished(() => {
      for (const end of ends) end();
    });
    const stream = async (address: string) => {
      const leaving = new AbortController();
      ends.push(() => leaving.abort());
      const headers = { ...from(address), ...token, accept: 'text/event-stream' };
      return postQuery(gateway.address, feed, headers, leaving.signal);
    };
    const socket = async (address: string) => {
      const one = new WebSocket(`${gateway.address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: from(address),
      });
      one.on('error', () => {});
      ends.push(() => one.terminate());
      const status = await new Promise<number | undefined>((answered) => {
        one.on('open', () => answered(101));
        one.on('unexpected-response', (_req, { statusCode }) => answered(statusCode));
      });
      return { one, status };
    };
    expect((await stream(address)).status).toBe(200);
    expect((await stream(address)).status).toBe(200);
    const last = await socket(address);
    expect(last.status).toBe(101);
    const refused = await stream(address);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      errors: [
        {
          message: 'This address has 3 event streams and sockets open, and may have 3 (MAX_STREAMS).',
          extensions: { code: 'RATE_LIMITED' },
        },
      ],
    });
    expect((await socket(address)).status).toBe(429);
    expect((await stream(other)).status).toBe(200);
    last.one.terminate();
    await expect
      .poll(async () => (await stream(address)).status, { interval: 500, timeout: 3_000 })
      .toBe(200);
  });

  it('do not include queries that merely accept an event stream', async () => {
    // Many GraphQL clients send this with every operation.
    const accept = 'application/graphql-response+json, application/json, text/event-stream';
    const headers = { ...from(newCallerAddress()), ...token, accept };
    const { url: silent } = await serve(() => {});
    const { address, stop } = await startLoneGateway({
      ...limits,
      SUBGRAPH_URL: silent,
      SUBGRAPH_TIMEOUT: '60',
      REQUEST_TIMEOUT: '1',
    });
    onTestFinished(stop);
    const slow = [1, 2, 3, 4].map(() => postQuery(address, '{ srrs { edges { cursor } } }', headers));
    const leaving = new AbortController();
    const streams = [1, 2, 3].map(() => postQuery(address, feed, headers, leaving.signal));
    expect((await Promise.all(streams)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await postQuery(address, '{ __typename }', headers)).status).toBe(200);
    expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([504, 504, 504, 504]);
    leaving.abort();
  });
});
