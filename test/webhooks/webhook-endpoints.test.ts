import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretBox } from '../../src/access/secret-box.ts';
import { startApp } from '../../src/app.ts';
import { loadConfig, type Upstreams } from '../../src/config/config.ts';
import { issuersFromJson } from '../../src/config/issuers.ts';
import { secretsOf } from '../../src/webhooks/secrets.ts';
import { Sender } from '../../src/webhooks/sender.ts';
import { capturedLog } from '../_util/captured-log.ts';
import { closedPort } from '../_util/http-server.ts';
import { loneIssuer, startLoneGateway } from '../_util/lone-gateway.ts';
import { refusedAddresses } from '../_util/refused-addresses.ts';
import { webhookBench } from '../_util/webhook-bench.ts';
import { receiver, receiverSecret } from '../_util/webhook-receiver.ts';

const made = 'webhookEndpoint { id status } secret';
const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;

describe('a webhook endpoint', () => {
  it('is created once its address has answered a signed challenge', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const payload = await bench.mutate(
      'createWebhookEndpoint',
      { url: partner.url, secret: receiverSecret },
      made,
    );
    expect(payload).toMatchObject({
      secret: receiverSecret,
      webhookEndpoint: { status: 'ENABLED' },
      userErrors: [],
    });
    expect(partner.all).toMatchObject([{ type: 'CHALLENGE' }]);
    const { webhookEndpoints } = await bench.gateway.caller.data(
      '{ webhookEndpoints(first: 1) { edges { node { id url types description } } pageInfo { hasNextPage } } }',
    );
    expect(webhookEndpoints).toEqual({
      edges: [
        {
          node: {
            id: payload.webhookEndpoint.id,
            url: partner.url,
            types: expect.arrayContaining(['SRR_ISSUED', 'UNRECOGNIZED']),
            description: null,
          },
        },
      ],
      pageInfo: { hasNextPage: false },
    });
    // The stored secret is encrypted.
    const rows = await bench.db.selectFrom('webhook_endpoint').selectAll().execute();
    expect(Buffer.from(rows[0]?.sealed_secret as Buffer).toString('latin1')).not.toContain(
      receiverSecret.slice(6),
    );
  });

  it('gets a random secret when none is given', async () => {
    const bench = await webhookBench();
    const bodies: { text: string; headers: Record<string, string> }[] = [];
    const server = createServer((req, res) => {
      let text = '';
      req.on('data', (piece) => {
        text += piece;
      });
      req.on('end', () => {
        bodies.push({ text, headers: req.headers as Record<string, string> });
        res.end();
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { secret } = await bench.mutate('createWebhookEndpoint', { url }, made);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const [challenge] = bodies;
    expect(
      new Webhook(secret).verify(challenge?.text as string, challenge?.headers as Record<string, string>),
    ).toMatchObject({ type: 'CHALLENGE' });
  });

  it('is not created when its address does not accept the challenge, and the error says why', async () => {
    const bench = await webhookBench();
    const partner = await receiver(() => 404);
    const moved = await receiver((_, response) => {
      response.writeHead(302, { location: partner.url }).end();
      return undefined;
    });
    const late = await receiver(() => undefined);
    const create = async (url: string) => {
      const { userErrors, webhookEndpoint } = await bench.mutate(
        'createWebhookEndpoint',
        { url, secret: receiverSecret },
        made,
      );
      expect(webhookEndpoint).toBeNull();
      return userErrors;
    };
    expect(await create(partner.url)).toEqual([
      {
        code: 'INVALID_INPUT',
        path: ['input', 'url'],
        message: expect.stringMatching(/answered the challenge with HTTP 404\..*must answer 2xx/),
        upstreamMessage: 'not today',
      },
    ]);
    expect((await create(moved.url))[0].message).toContain('HTTP 302');
    expect(partner.all).toHaveLength(1);
    expect((await create(late.url))[0].message).toContain('did not answer within 1 s');
    expect((await create(await closedPort()))[0].message).toContain('cannot be reached (ECONNREFUSED)');
    expect(await bench.db.selectFrom('webhook_endpoint').selectAll().execute()).toEqual([]);
  });

  it.each([
    ['url', { url: 'ftp://partner.example/' }, /https:\/\/ address/],
    ['url', { url: 'https://me:pass@partner.example/' }, /no user and password/],
    ['url', { url: 'https://:pass@partner.example/' }, /no user and password/],
    ['url', { url: 'https://partner.example/#top' }, /no fragment/],
    ['url', { url: `https://partner.example/${'x'.repeat(2_000)}` }, /at most 2000 characters/],
    ['url', { url: `https://partner.example/${'絵'.repeat(300)}` }, /at most 2000 characters/],
    ['types', { types: [] }, /must name an event type/],
    ['description', { description: 'x'.repeat(501) }, /at most 500/],
    ['description', { description: 'a\u0000b' }, /NUL/],
    ['secret', { secret: 'whsec_short' }, /24 to 64 random bytes/],
    ['secret', { secret: 'hunter2' }, /whsec_/],
    ['secret', { secret: `${otherSecret}==` }, /whsec_/],
  ])('with an invalid %s is refused with an error at this field: %j', async (name, input, message) => {
    const bench = await webhookBench();
    const { userErrors } = await bench.mutate(
      'createWebhookEndpoint',
      { url: 'https://partner.example/', ...input },
      made,
    );
    expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', name] }]);
    expect(userErrors[0].message).toMatch(message);
    expect(userErrors[0].message).not.toContain('hunter2');
  });

  it('has deliveries signed with both secrets until the old one has expired', async () => {
    const bench = await webhookBench();
    const withOld = await receiver();
    const id = await bench.create(withOld.url);
    const rotated = await bench.mutate(
      'updateWebhookEndpoint',
      { id, rotateSecret: true, secret: otherSecret },
      made,
    );
    expect(rotated).toMatchObject({ secret: otherSecret, userErrors: [] });
    await bench.happen('signed twice');
    await expect.poll(withOld.events).toHaveLength(1);
    expect(withOld.events()[0]?.signatures).toHaveLength(2);
    // A receiver with the new secret accepts the same deliveries.
    const withNew = await receiver(undefined, otherSecret);
    await bench.mutate('updateWebhookEndpoint', { id, url: withNew.url }, made);
    await bench.happen('still twice');
    await expect.poll(withNew.events).toHaveLength(1);
    expect(withNew.events()[0]?.signatures).toHaveLength(2);
    const endpoints = bench.db.selectFrom('webhook_endpoint').select('previous_until');
    const { previous_until: until } = await endpoints.executeTakeFirstOrThrow();
    expect((Number(until) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
    await bench.db
      .updateTable('webhook_endpoint')
      .set({ previous_until: new Date(Date.now() - 1) })
      .execute();
    await bench.happen('signed once');
    await expect.poll(withNew.events).toHaveLength(2);
    expect(withNew.events()[1]?.signatures).toHaveLength(1);
  });

  it('has no deliveries signed with its first secret after two rotations', async () => {
    const bench = await webhookBench();
    const id = await bench.create((await receiver()).url);
    const rotateAndTest = async () => {
      await bench.mutate('updateWebhookEndpoint', { id, rotateSecret: true }, made);
      return (await bench.mutate('sendTestDelivery', { id }, 'delivery { status }')).delivery.status;
    };
    expect([await rotateAndTest(), await rotateAndTest()]).toEqual(['DELIVERED', 'FAILED']);
  });

  it('can change its types, description and status, and is deleted with its deliveries', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const id = await bench.create(partner.url, { types: ['SRR_ISSUED'], description: 'first' });
    await bench.mutate('updateWebhookEndpoint', { id, types: ['SRR_FAILED'], status: 'DISABLED' }, made);
    expect(await bench.endpoint(id)).toMatchObject({
      types: ['SRR_FAILED'],
      description: 'first',
      status: 'DISABLED',
    });
    await bench.happen('meanwhile');
    await bench.mutate('updateWebhookEndpoint', { id, description: null, status: 'ENABLED' }, made);
    await expect.poll(partner.externalIds).toEqual(['meanwhile']);
    const wrong = await bench.mutate('updateWebhookEndpoint', { id, status: 'FAILING' }, made);
    expect(wrong.userErrors).toMatchObject([{ path: ['input', 'status'] }]);
    await expect.poll(async () => (await bench.endpoint(id)).deliveries).toHaveLength(1);
    expect(await bench.mutate('deleteWebhookEndpoint', { id }, 'deletedId')).toEqual({
      deletedId: id,
      userErrors: [],
    });
    expect(await bench.endpoint(id)).toBeNull();
    expect(await bench.db.selectFrom('webhook_delivery').selectAll().execute()).toEqual([]);
    const gone = await bench.mutate('deleteWebhookEndpoint', { id }, 'deletedId');
    expect(gone.userErrors).toMatchObject([{ code: 'NOT_FOUND', path: ['input', 'id'] }]);
  });

  it('can be sent a test delivery, which shows the response', async () => {
    const bench = await webhookBench();
    let status = 200;
    const partner = await receiver(() => status);
    const id = await bench.create(partner.url);
    const test = async () =>
      (
        await bench.mutate(
          'sendTestDelivery',
          { id },
          'delivery { id type status attempts { status excerpt } }',
        )
      ).delivery;
    expect(await test()).toMatchObject({ type: 'TEST', status: 'DELIVERED', attempts: [{ status: 200 }] });
    status = 500;
    const failed = await test();
    expect(failed).toMatchObject({ status: 'FAILED', attempts: [{ status: 500, excerpt: 'not today' }] });
    const again = await bench.mutate('redeliver', { webhookEndpoint: id, delivery: failed.id }, 'count');
    expect(again.userErrors).toMatchObject([{ path: ['input', 'delivery'] }]);
  });

  it('may answer anything: its first 300 bytes are shown without secrets and NUL, and too much is a failure', async () => {
    const bench = await webhookBench();
    let answer = '';
    const partner = await receiver(({ type }, response) => {
      if (type === 'CHALLENGE') return 200;
      response.writeHead(200).end(answer);
      return undefined;
    });
    const id = await bench.create(partner.url);
    const attemptOf = async (text: string) => {
      answer = text;
      const fields = 'delivery { attempts { status excerpt error } }';
      return (await bench.mutate('sendTestDelivery', { id }, fields)).delivery.attempts[0];
    };
    const { excerpt } = await attemptOf(`a\0b authorization: Bearer hunter2 ${'x'.repeat(63_000)}`);
    expect(excerpt).toMatch(/^a.b authorization: Bearer \[secret\] x{200,300}$/);
    expect(await attemptOf('x'.repeat(64_001))).toEqual({
      status: null,
      excerpt: null,
      error: 'Its answer is longer than 64000 bytes. A status is enough.',
    });
  });

  it('has accepted a delivery by its status, although its response cannot be decompressed', async () => {
    const bench = await webhookBench();
    const partner = await receiver((_message, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('thanks');
      return undefined;
    });
    const id = await bench.create(partner.url);
    const { delivery } = await bench.mutate(
      'sendTestDelivery',
      { id },
      'delivery { status attempts { status excerpt } }',
    );
    expect(delivery).toEqual({ status: 'DELIVERED', attempts: [{ status: 200, excerpt: 'thanks' }] });
  });

  it('has a unique address, and is one of at most MAX_WEBHOOK_ENDPOINTS', async () => {
    const bench = await webhookBench({ MAX_WEBHOOK_ENDPOINTS: '2' });
    const partner = await receiver();
    await bench.create(partner.url);
    const again = await bench.mutate('createWebhookEndpoint', { url: partner.url }, made);
    expect(again.userErrors[0].message).toMatch(/is an endpoint already/);
    await bench.create(`${partner.url}/2`);
    const third = await bench.mutate('createWebhookEndpoint', { url: `${partner.url}/3` }, made);
    expect(third.userErrors[0].message).toMatch(/can have 2 webhook endpoints/);
  });

  it.each([
    ['its address', '', /is an endpoint already/],
    ['the last place', '/2', /can have 1 webhook endpoints/],
  ])('is not created when another endpoint takes %s during the challenge', async (_what, path, says) => {
    const bench = await webhookBench({ MAX_WEBHOOK_ENDPOINTS: '1' });
    let hasRun = false;
    const partner = await receiver(async () => {
      if (hasRun) return 200;
      hasRun = true;
      await bench.create(partner.url + path);
      return 200;
    });
    const late = await bench.mutate(
      'createWebhookEndpoint',
      { url: partner.url, secret: receiverSecret },
      made,
    );
    expect(late.userErrors[0]).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringMatching(says) });
  });

  it('is listed page by page, even after the endpoint of the cursor is deleted', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await bench.create(`${partner.url}/${n}`));
    const page = async (after: string | null) => {
      const { webhookEndpoints } = await bench.gateway.caller.data(
        'query ($after: String) { webhookEndpoints(first: 1, after: $after) { edges { cursor node { id } } } }',
        { after },
      );
      return webhookEndpoints.edges[0];
    };
    const first = await page(null);
    expect(first.node.id).toBe(ids[0]);
    await bench.mutate('deleteWebhookEndpoint', { id: ids[0] }, '');
    const second = await page(first.cursor);
    expect(second.node.id).toBe(ids[1]);
    expect((await page(second.cursor)).node.id).toBe(ids[2]);
  });

  it('shares its address with no other, even after concurrent updates; an invalid update sends no challenge', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const ids = [await bench.create(`${partner.url}/1`), await bench.create(`${partner.url}/2`)];
    const move = (id: string, more: object = {}) =>
      bench.mutate('updateWebhookEndpoint', { id, url: `${partner.url}/3`, ...more }, made);
    const before = partner.all.length;
    const wrong = await move(ids[0] as string, { description: 'x'.repeat(1_000) });
    expect(wrong.userErrors).toMatchObject([{ path: ['input', 'description'] }]);
    expect(partner.all).toHaveLength(before);
    const both = await Promise.all(ids.map((id) => move(id)));
    const errors = both.flatMap(({ userErrors }) => userErrors);
    expect(errors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', 'url'] }]);
  });

  it('gets at most thirty challenges and tests a minute', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const id = await bench.create(partner.url);
    const test = () => bench.mutate('sendTestDelivery', { id }, 'delivery { status }');
    for (let n = 1; n < 30; n++) expect((await test()).delivery.status).toBe('DELIVERED');
    expect(await test()).toMatchObject({ delivery: null, userErrors: [{ code: 'RATE_LIMITED' }] });
    expect(partner.all).toHaveLength(30);
  });

  it('cannot be read or changed by another issuer, and gets no events of another issuer', async () => {
    const other = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
    const issuer = (address: string, token: string) => ({
      address,
      apiKey: 'a-configured-key',
      webhookKeys: [`key-of-${token}`],
      tokens: [{ token, scopes: ['read', 'webhooks'] }],
    });
    const bench = await webhookBench({
      ISSUERS: JSON.stringify([
        issuer(loneIssuer, 'lone-token-all-scopes'),
        issuer(other, 'token-of-the-other'),
      ]),
    });
    const partner = await receiver();
    const id = await bench.create(partner.url);
    const stranger = bench.gateway.as({ authorization: 'Bearer token-of-the-other' });
    const { node, webhookEndpoints } = await stranger.data(
      `{ node(id: "${id}") { id } webhookEndpoints { edges { cursor } } }`,
    );
    expect([node, webhookEndpoints.edges]).toEqual([null, []]);
    const attempts = await stranger.data(
      `mutation ($id: ID!) {
        a: updateWebhookEndpoint(input: { id: $id, status: DISABLED }) { userErrors { code } }
        b: deleteWebhookEndpoint(input: { id: $id }) { userErrors { code } }
        c: sendTestDelivery(input: { id: $id }) { userErrors { code } }
        d: redeliver(input: { webhookEndpoint: $id, failedSince: "2020-01-01T00:00:00Z" }) { userErrors { code } }
      }`,
      { id },
    );
    for (const { userErrors } of Object.values<{ userErrors: unknown }>(attempts))
      expect(userErrors).toEqual([{ code: 'NOT_FOUND' }]);
    const madeUp = await stranger.data(
      'mutation ($id: ID!) { deleteWebhookEndpoint(input: { id: $id }) { userErrors { code path } } }',
      { id: Buffer.from('WebhookEndpoint:1').toString('base64') },
    );
    expect(madeUp.deleteWebhookEndpoint.userErrors).toEqual([{ code: 'NOT_FOUND', path: ['input', 'id'] }]);
    const send = (key: string, externalId: string) =>
      fetch(`${bench.gateway.address}/webhooks/commerce`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify({ type: 'issue_failed', data: [{ externalId }] }),
      });
    await send('key-of-token-of-the-other', 'theirs');
    await send('key-of-lone-token-all-scopes', 'ours');
    await expect.poll(partner.externalIds).toEqual(['ours']);
  });

  it('from the configuration is listed and gets deliveries, and only its status can be changed', async () => {
    const partner = await receiver();
    const issuers = (webhookEndpoints: object[]) =>
      JSON.stringify([
        {
          address: loneIssuer,
          apiKey: 'a-configured-key',
          webhookKeys: ['lone-webhook-key'],
          tokens: [{ token: 'lone-token-all-scopes', scopes: ['read', 'webhooks'] }],
          webhookEndpoints,
        },
      ]);
    const bench = await webhookBench({
      ISSUERS: issuers([{ url: partner.url, secrets: [otherSecret, receiverSecret], description: 'ours' }]),
    });
    await bench.happen('configured');
    await expect.poll(partner.externalIds).toEqual(['configured']);
    expect(partner.events()[0]?.signatures).toHaveLength(2);
    const { webhookEndpoints } = await bench.gateway.caller.data(
      '{ webhookEndpoints { edges { node { id url configured description } } } }',
    );
    const [{ node }] = webhookEndpoints.edges;
    expect(node).toMatchObject({ url: partner.url, configured: true, description: 'ours' });
    for (const change of [
      { description: 'mine' },
      { description: null },
      { types: null },
      { url: `${partner.url}/2` },
      { rotateSecret: true },
    ]) {
      const changed = await bench.mutate('updateWebhookEndpoint', { id: node.id, ...change }, made);
      expect(changed.userErrors, JSON.stringify(change)).toMatchObject([{ path: ['input', 'id'] }]);
    }
    const removed = await bench.mutate('deleteWebhookEndpoint', { id: node.id }, 'deletedId');
    expect(removed.userErrors).toMatchObject([{ path: ['input', 'id'] }]);
    const off = await bench.mutate('updateWebhookEndpoint', { id: node.id, status: 'DISABLED' }, made);
    expect(off).toMatchObject({ webhookEndpoint: { status: 'DISABLED' }, userErrors: [] });
  });

  it('from the configuration is stored once the database accepts writes', async () => {
    const { log, text } = capturedLog();
    const { gateway, db } = await webhookBench({}, log);
    await sql`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no space'; end $$`.execute(db);
    await sql`create trigger refuse before insert on gateway.webhook_endpoint execute function refuse()`.execute(
      db,
    );
    const endpoint = { url: 'http://127.0.0.1:9/hook', secrets: [receiverSecret] };
    const issuer = { address: loneIssuer, apiKey: 'a-configured-key', webhookEndpoints: [endpoint] };
    gateway.app.replaceIssuers(issuersFromJson.parse([issuer]));
    await expect.poll(text).toContain('could not be stored');
    await sql`drop trigger refuse on gateway.webhook_endpoint`.execute(db);
    const stored = () => db.selectFrom('webhook_endpoint').select('url').execute();
    await expect.poll(stored, { timeout: 20_000 }).toEqual([{ url: endpoint.url }]);
  });

  it('from the configuration is kept when a process with another configuration fails to start', async () => {
    const issuer = {
      address: loneIssuer,
      apiKey: 'a-configured-key',
      webhookKeys: ['lone-webhook-key'],
      tokens: [],
    };
    const endpoint = { url: 'http://127.0.0.1:9/hook', secrets: [receiverSecret] };
    const SECRETS_KEY = Buffer.alloc(32, 3).toString('base64');
    const ISSUERS = JSON.stringify([{ ...issuer, webhookEndpoints: [endpoint] }]);
    const { gateway, db } = await webhookBench({ SECRETS_KEY, ISSUERS });
    const { config, secrets } = loadConfig({
      PORT: new URL(gateway.address).port,
      COMMERCE_URL: gateway.address,
      SUBGRAPH_URL: gateway.address,
      IPFS_GATEWAYS: gateway.address,
      SECRETS_KEY,
      ISSUERS: JSON.stringify([issuer]),
    });
    const upstreams = config.upstreams as Upstreams;
    const { log, text } = capturedLog();
    await expect(startApp({ config, secrets, upstreams, database: gateway.database, log })).rejects.toThrow(
      'in use',
    );
    expect(text()).not.toContain('could not be stored');
    const stored = await db.selectFrom('webhook_endpoint').select('url').execute();
    expect(stored).toEqual([{ url: endpoint.url }]);
  });
});

describe('the secret of a webhook endpoint', () => {
  it('never appears in the log, and neither does the query string of the address', async () => {
    const { log, text } = capturedLog();
    const bench = await webhookBench({ WEBHOOK_FAILING_AFTER: '0.2' }, log);
    const partner = await receiver(({ type }) => (type === 'SRR_FAILED' ? 500 : 200));
    const id = await bench.create(`${partner.url}?key=hunter2`);
    await bench.mutate('updateWebhookEndpoint', { id, rotateSecret: true, secret: otherSecret }, made);
    await bench.mutate(
      'createWebhookEndpoint',
      { url: 'https://127.0.0.1/?key=hunter2', secret: 'hunter2' },
      made,
    );
    await bench.happen('failing');
    await expect.poll(text).toContain('a webhook endpoint keeps failing');
    expect(text()).toContain('"lastAnswer":"HTTP 500"');
    for (const secret of [receiverSecret, otherSecret, 'hunter2', '?key='])
      expect(text()).not.toContain(secret);
  });

  it('is returned in a response that is never compressed', async () => {
    const bench = await webhookBench();
    const partner = await receiver();
    const ask = (url: string, fields: string) =>
      fetch(`${bench.gateway.address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bench.gateway.caller.headers },
        body: JSON.stringify({
          query: `mutation ($url: URL!, $secret: String) {
            createWebhookEndpoint(input: { url: $url, secret: $secret }) { ${fields} } }`,
          variables: { url, secret: receiverSecret },
        }),
      });
    // The responses are long enough for compression.
    const without = await ask(`${partner.url}/${'a'.repeat(1_900)}`, 'webhookEndpoint { url description }');
    const withSecret = await ask(
      `${partner.url}/${'b'.repeat(1_900)}`,
      'secret webhookEndpoint { url description }',
    );
    expect(without.headers.get('content-encoding')).toBe('gzip');
    expect(withSecret.headers.get('content-encoding')).toBeNull();
    expect(withSecret.headers.get('cache-control')).toContain('no-transform');
    expect(await withSecret.text()).toContain(receiverSecret);
  });

  it('is encrypted with the new key when SECRETS_KEY changes', async () => {
    const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)] as const;
    const bench = await webhookBench({ SECRETS_KEY: first.toString('base64') });
    const partner = await receiver();
    const id = await bench.create(partner.url);
    await bench.mutate('updateWebhookEndpoint', { id, rotateSecret: true, secret: otherSecret }, made);
    const SECRETS_KEY = [second, first].map((key) => key.toString('base64')).join();
    const restarted = await startLoneGateway({ SECRETS_KEY }, undefined, bench.gateway.database);
    await restarted.stop();
    const row = await bench.db.selectFrom('webhook_endpoint').selectAll().executeTakeFirstOrThrow();
    expect(secretsOf(new SecretBox(second), row, undefined)).toEqual([otherSecret, receiverSecret]);
    expect(() => secretsOf(new SecretBox(first), row, undefined)).toThrow(/cannot be decrypted/);
  });
});

describe('the address of a webhook endpoint', () => {
  const sender = (resolve?: ConstructorParameters<typeof Sender>[1], privateNetworks: object[] = []) => {
    const one = new Sender(
      { timeoutMs: 2_000, privateNetworks } as ConstructorParameters<typeof Sender>[0],
      resolve,
    );
    onTestFinished(() => one.close());
    return async (url: string) =>
      (await one.send(url, [receiverSecret], { id: 'msg_1', body: '{}' })).attempt;
  };
  const loopback = [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }];

  it.each(refusedAddresses)('%s is refused, over http and https', async (host, why) => {
    const send = sender();
    expect((await send(`https://${host}/`)).error).toMatch(why);
    expect((await send(`http://${host}/`)).error).toMatch(
      /not https, which only networks in ALLOW_PRIVATE_WEBHOOKS may do without\.$/,
    );
  });

  it.each([80, 8443])('of a public host is refused at port %i', async (port) => {
    const send = sender(async () => [{ address: '2606:4700::1', family: 6 }]);
    expect((await send(`https://partner.example:${port}/`)).error).toMatch(`port ${port} is not 443`);
  });

  it('is refused by createWebhookEndpoint with the reason', async () => {
    const bench = await webhookBench({ ALLOW_PRIVATE_WEBHOOKS: '10.0.0.0/8' });
    const partner = await receiver();
    const https = partner.url.replace('http:', 'https:');
    const { userErrors } = await bench.mutate('createWebhookEndpoint', { url: https }, made);
    expect(userErrors).toMatchObject([{ path: ['input', 'url'] }]);
    expect(userErrors[0].message).toContain('its address is this machine');
    expect(partner.all).toEqual([]);
  });

  it('may be only in private networks that the operator allows', async () => {
    const partner = await receiver();
    expect((await sender(undefined, loopback)(partner.url)).status).toBe(200);
    expect((await sender(undefined, loopback)('https://10.0.0.1/')).error).toMatch(/private network/);
    const mixed = sender(
      async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '10.0.0.1', family: 4 },
      ],
      loopback,
    );
    expect((await mixed('https://partner.example/')).error).toBe(
      'partner.example may not be reached: its address is a private network.',
    );
  });

  it('is checked again at each connection, because DNS may change after the challenge', async () => {
    const partner = await receiver();
    const { port } = new URL(partner.url);
    let address = '127.0.0.1';
    const send = sender(
      async () => [{ address, family: 4 }],
      [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }],
    );
    expect((await send(`http://one.example:${port}/`)).status).toBe(200);
    address = '169.254.169.254';
    // Use another name, because the first still has an open connection to the checked address.
    expect((await send(`https://two.example/`)).error).toMatch(/its address is link-local/);
    address = '127.0.0.2';
    expect((await send(`https://three.example:${port}/`)).error).toMatch(/this machine/);
    expect(partner.all).toHaveLength(1);
  });
});
