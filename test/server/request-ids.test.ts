import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'graphql-ws';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { capturedLog } from '../_util/captured-log.ts';
import { issue } from '../_util/issuances.ts';
import {
  type LoneGateway,
  loneIssuer,
  loneToken,
  loneWebhookKey,
  startLoneGateway,
} from '../_util/lone-gateway.ts';
import { tablesOf } from '../_util/tables.ts';

const { log, lines } = capturedLog();

/** All upstream services give an unintelligible answer, which the gateway logs. */
let nonsense: Server;
let gateway: LoneGateway;
beforeAll(async () => {
  nonsense = createServer((req, res) => void req.resume().once('end', () => res.end('{"a":1}')));
  await new Promise<void>((listening) => nonsense.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(nonsense.address() as AddressInfo).port}`;
  gateway = await startLoneGateway({ COMMERCE_URL: url, SUBGRAPH_URL: url, IPFS_GATEWAYS: url }, log);
});
afterAll(async () => {
  await gateway?.stop();
  nonsense.closeAllConnections();
  nonsense.close();
});

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const traceId = '0af7651916cd43dd8448eb211c80319c';

function ask(path: string, headers: Record<string, string> = {}, body?: object): Promise<Response> {
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  return fetch(gateway.address + path, {
    headers: { 'content-type': 'application/json', ...headers },
    ...sent,
  });
}

const idOf = ({ headers }: Response) => headers.get('x-request-id') ?? '';
const linesOf = (requestId: string) => lines().filter((line) => line.requestId === requestId);

describe('a request', () => {
  it.each(['/health/live', '/nothing-here', '/graphql?query={__typename}', '/graphql?query={'])(
    'gets a new id in its response (%s)',
    async (path) => {
      const ids = [idOf(await ask(path)), idOf(await ask(path))];
      for (const id of ids) expect(id).toMatch(uuid);
      expect(new Set(ids).size).toBe(2);
    },
  );

  it.each(['/health/live', '/graphql?query={__typename}'])(
    'keeps the id that it came with (%s)',
    async (path) => {
      const ids = async (headers: Record<string, string>) => idOf(await ask(path, headers));
      expect(await ids({ 'x-request-id': 'proxy-7.A_1' })).toBe('proxy-7.A_1');
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
      expect(await ids({ traceparent })).toBe(traceId);
      expect(await ids({ traceparent, 'x-request-id': 'proxy-7.A_1' })).toBe('proxy-7.A_1');
    },
  );

  it.each([
    ['too short', { 'x-request-id': 'a' }],
    ['too long', { 'x-request-id': 'a'.repeat(65) }],
    ['more than a word', { 'x-request-id': 'a name","level":60' }],
    ['an invalid trace', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
    ['not a traceparent', { traceparent: traceId }],
  ])('does not keep an id that is %s', async (_what, headers: Record<string, string>) => {
    expect(idOf(await ask('/health/live', headers))).toMatch(uuid);
  });
});

describe('a line of the log', () => {
  it('has the request’s id, also deep in the code', async () => {
    // Send two different queries: equal ones would share one execution, which has the id of the first.
    const answers = await Promise.all(
      ['first-of-two', 'second-of-two'].map((id, i) => {
        const query = `{ srrs(first: ${i + 1}) { edges { node { tokenId } } } }`;
        return ask('/graphql', { 'x-request-id': id, authorization: `Bearer ${loneToken}` }, { query });
      }),
    );
    for (const id of answers.map(idOf))
      expect(linesOf(id)).toContainEqual(expect.objectContaining({ upstream: 'SUBGRAPH' }));
    // The poll for new blocks begins with these requests but belongs to none.
    await expect
      .poll(() => lines().filter((line) => line.upstream === 'SUBGRAPH' && !line.requestId))
      .not.toEqual([]);
  });

  it('of an issuance has its id, and not that of the request that began it', async () => {
    const [, id] = atob(await issue(gateway.caller, { entries: [record] })).split(':');
    await expect
      .poll(() => lines().filter(({ issuanceId }) => issuanceId === id), { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ upstream: 'COMMERCE', path: 'srrs' }));
    for (const line of lines()) if (line.issuanceId) expect(line).not.toHaveProperty('requestId');
  });
});

describe('the errorId of an internal error', () => {
  // A missing table is a fault that no client can cause.
  beforeAll(() => sql`alter table gateway.event rename to gone`.execute(tablesOf(gateway.database)));
  afterAll(() => sql`alter table gateway.gone rename to event`.execute(tablesOf(gateway.database)));

  const events = '{ events(first: 1) { edges { cursor } } }';
  const asIssuer = { authorization: `Bearer ${loneToken}` };

  it('is the request’s id, and leads to the cause in the log', async () => {
    const answer = await ask('/graphql', asIssuer, { query: events });
    const { errors } = (await answer.json()) as { errors: { extensions: Record<string, string> }[] };
    const id = errors[0]?.extensions.errorId ?? '';
    expect(errors[0]?.extensions.code).toBe('UNKNOWN_ERROR');
    expect(id).toBe(idOf(answer));
    expect(linesOf(id)).toContainEqual(
      expect.objectContaining({
        msg: 'a resolver failed',
        err: expect.objectContaining({ message: expect.stringContaining('event') }),
      }),
    );
  });

  it('is different for each operation over WebSocket', async () => {
    const client = createClient({
      url: `${gateway.address.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: asIssuer,
    });
    const ids = new Set<string>();
    for (let n = 0; n < 2; n++)
      for await (const { errors } of client.iterate({ query: events }))
        ids.add(String(errors?.[0]?.extensions?.errorId));
    await client.dispose();
    expect(ids.size).toBe(2);
    for (const id of ids)
      expect(linesOf(id)).toContainEqual(expect.objectContaining({ msg: 'a resolver failed' }));
  });

  it('is in the response to a failed webhook delivery', async () => {
    const body = { type: 'issue_failed', version: 1, data: [{ externalId: 'a', message: 'out of gas' }] };
    const answer = await ask('/webhooks/commerce', { 'x-api-key': loneWebhookKey }, body);
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ error: { code: 'UNKNOWN_ERROR', errorId: idOf(answer) } });
    expect(linesOf(idOf(answer))).toContainEqual(expect.objectContaining({ msg: 'a route failed' }));
  });
});

/** A record whose pictures need no upload, so that it is issued right away. */
const picture = { ipfs: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' };
const record = {
  externalId: 'logged-1',
  artistAddress: loneIssuer,
  isPrimaryIssuer: true,
  lockExternalTransfer: false,
  metadata: {
    name: 'Logged',
    title: { en: 'Logged' },
    medium: { en: 'Ink' },
    yearOfCreation: { en: '2026' },
    thumbnail: picture,
    image: picture,
  },
};
