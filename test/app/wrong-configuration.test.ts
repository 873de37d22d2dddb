import { Writable } from 'node:stream';
import { createLogger } from '@srr-gateway/common/log';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entry } from '../_util/entries.ts';
import { startTestGateway, type TestGateway } from '../_util/gateway.ts';
import { type Received, serve } from '../_util/http-server.ts';
import { issue, outcomeOf } from '../_util/issuances.ts';
import { startLoneGateway } from '../_util/lone-gateway.ts';

/** Issues a record that the gateways under test find in the subgraph. */
let world: TestGateway;
const waiting = { timeout: 40_000, interval: 100 };
beforeAll(async () => {
  world = await startTestGateway();
  const upload = await world.caller.upload('a.png', 'NON_ATTACHMENT_FILE', 'a picture');
  const record = entry(world.info, 'named', { upload }, { metadata: { chipUIDs: ['04A1B2C3D4E5F6'] } });
  const id = await issue(world.caller, { requestId: 'named', entries: [record] });
  await vi.waitUntil(
    async () => (await outcomeOf(world.caller, id)).entries[0]?.status === 'ISSUED',
    waiting,
  );
  const indexed = () => world.caller.data('{ srrs { edges { cursor } } }');
  await vi.waitUntil(async () => (await indexed()).srrs.edges.length === 1, waiting);
});
afterAll(() => world?.stop());

interface Health {
  kind: string;
  health: string;
  message: string | null;
}

/** Starts a gateway for the same services with other settings; returns its warnings too. */
async function configured(env: Record<string, string>) {
  const warnings: string[] = [];
  const destination = new Writable({
    write(line, _encoding, done) {
      const { level, msg } = JSON.parse(String(line));
      if (level >= 40) warnings.push(msg);
      done();
    },
  });
  const { info } = world;
  const gateway = await startLoneGateway(
    {
      COMMERCE_URL: info.commerceUrl,
      SUBGRAPH_URL: info.subgraphUrl,
      IPFS_GATEWAYS: info.ipfsUrl,
      REGISTRY_ADDRESS: info.registryAddress,
      ISSUERS: JSON.stringify([{ address: world.issuer.address, apiKey: world.issuer.apiKey }]),
      ...env,
    },
    createLogger({ level: 'warn', name: 'test', destination }),
  );
  onTestFinished(() => gateway.stop());
  return {
    warnings,
    sources: async (): Promise<Record<string, Health>> => {
      const { sources } = await gateway.anonymous.data('{ sources { kind health message } }');
      return Object.fromEntries((sources as Health[]).map((source) => [source.kind, source]));
    },
  };
}

const json = { 'content-type': 'application/json' };

/** Forwards a request with its credentials to another server. */
async function passOn({ headers, body }: Received, url: string) {
  const known = Object.entries(headers).filter(([name]) => /^(content-type|commerce-|issuer-)/.test(name));
  const answer = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(known) as Record<string, string>,
    body: body.toString(),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A server that answers 503 until it is started. */
async function startsLater(answer: (request: Received) => ReturnType<typeof passOn>) {
  let isUp = false;
  const server = await serve(async (request, response) => {
    if (!isUp) return response.writeHead(503).end();
    const { status, text } = await answer(request);
    response.writeHead(status, json).end(text);
  });
  return {
    url: server.url,
    start: () => {
      isUp = true;
    },
  };
}

describe('settings that must match the subgraph', () => {
  it('cause no warning when they do', async () => {
    const { sources, warnings } = await configured({});
    expect(await sources()).toMatchObject({
      COMMERCE: { health: 'OK', message: null },
      SUBGRAPH: { health: 'OK', message: null },
      IPFS: { health: 'OK', message: null },
    });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['REGISTRY_ADDRESS', 'SUBGRAPH', { REGISTRY_ADDRESS: `0x${'12'.repeat(20)}` }],
    ['VENDOR_PREFIX', 'COMMERCE', { VENDOR_PREFIX: 'acme' }],
  ])(
    'are reported when %s is wrong, in the health of its source and once in the log',
    async (name, kind, env) => {
      const { sources, warnings } = await configured(env);
      const reported = await sources();
      expect(reported[kind]).toMatchObject({ health: 'DEGRADED', message: expect.stringContaining(name) });
      const others = Object.values(reported).filter((one) => one.kind !== kind);
      expect(others.map(({ health }) => health)).toEqual(['OK', 'OK', 'OK']);
      await sources();
      expect(warnings).toEqual([reported[kind]?.message]);
    },
  );

  it('are reported when IPFS_GATEWAYS do not have the content of the subgraph', async () => {
    // The gateway itself is healthy, but lacks the content.
    const elsewhere = await serve((request, response) =>
      response.writeHead(request.url.includes('/bafkqaaa') ? 200 : 404).end(),
    );
    const { sources, warnings } = await configured({ IPFS_GATEWAYS: elsewhere.url });
    expect((await sources()).IPFS).toMatchObject({
      health: 'DEGRADED',
      message: expect.stringContaining('IPFS_GATEWAYS'),
    });
    expect(warnings).toEqual([expect.stringContaining('IPFS_GATEWAYS')]);
  });

  it('are not checked against a subgraph with bare token ids', async () => {
    const older = await serve(async (request, response) => {
      const { status, text } = await passOn(request, world.info.subgraphUrl);
      response.writeHead(status, json).end(text.replace(/"id":\s*"0x[0-9a-f]{64}"/g, '"id":"1"'));
    });
    const { sources, warnings } = await configured({
      SUBGRAPH_URL: older.url,
      REGISTRY_ADDRESS: `0x${'12'.repeat(20)}`,
    });
    expect((await sources()).SUBGRAPH).toMatchObject({ health: 'OK', message: null });
    expect(warnings).toEqual([]);
  });

  it('are checked once the subgraph is up', async () => {
    const late = await startsLater((request) => passOn(request, world.info.subgraphUrl));
    const { sources } = await configured({
      SUBGRAPH_URL: late.url,
      REGISTRY_ADDRESS: `0x${'12'.repeat(20)}`,
    });
    expect((await sources()).SUBGRAPH).toMatchObject({ health: 'DOWN' });
    late.start();
    await expect
      .poll(async () => (await sources()).SUBGRAPH?.message, { timeout: 20_000 })
      .toContain('REGISTRY_ADDRESS');
  });
});

describe('the keys of the issuers', () => {
  it('are checked with the service at the start, and a refused key causes a warning', async () => {
    const { address, apiKey } = world.issuer;
    const other = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const issuers = [
      { address: other, apiKey: 'a-mistyped-key' },
      { address, apiKey },
    ];
    const { warnings } = await configured({ ISSUERS: JSON.stringify(issuers) });
    await expect
      .poll(() => warnings, { timeout: 10_000 })
      .toEqual([`ISSUERS: the service refuses the apiKey of ${other}. Its calls will fail.`]);
  });

  it('are checked once the service is up', async () => {
    const late = await startsLater((request) => passOn(request, `${world.info.commerceUrl}${request.url}`));
    const { address } = world.issuer;
    const { warnings } = await configured({
      COMMERCE_URL: late.url,
      ISSUERS: JSON.stringify([{ address, apiKey: 'a-mistyped-key' }]),
    });
    await expect
      .poll(() => warnings, { timeout: 10_000 })
      .toEqual([expect.stringContaining('HTTP status 503')]);
    late.start();
    await expect
      .poll(() => warnings.slice(1), { timeout: 20_000 })
      .toEqual([`ISSUERS: the service refuses the apiKey of ${address}. Its calls will fail.`]);
  });

  it('are not sent to a server that is not the service', async () => {
    const other = await serve((_request, response) => response.writeHead(404).end('no such page'));
    const { warnings } = await configured({ COMMERCE_URL: other.url });
    await expect
      .poll(() => warnings, { timeout: 10_000 })
      .toEqual([
        expect.stringMatching(
          /^COMMERCE_URL does not answer as the issuance service does\. .* HTTP status 404/,
        ),
      ]);
    expect(other.received.map(({ headers }) => headers['commerce-api-key'])).toEqual([undefined]);
  });
});
