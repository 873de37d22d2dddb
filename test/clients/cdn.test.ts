import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianServer, missing } from '@srr-gateway/common/testing/debian-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { capturedLog } from '../_util/captured-log.ts';
import { project } from '../_util/gateway-process.ts';
import { GrowingSubgraph } from '../_util/growing-subgraph.ts';
import { closedPort, type Received, reply, serve } from '../_util/http-server.ts';
import { loneToken, loneWebhookKey, startLoneGateway } from '../_util/lone-gateway.ts';
import { metric } from '../_util/metrics.ts';

const newest = '{ srrs(first: 3, orderBy: CREATED_AT_DESC) { edges { cursor node { tokenId } } } }';
const asGet = (query: string, base: string) => `${base}/graphql?query=${encodeURIComponent(query)}`;

/** The cache tag of the block with this number. */
const blockTag = (block: number) => `srr-block-${block.toString(16).padStart(12, '0')}`;

const pollOptions = { timeout: 10_000 };

/** A gateway over a subgraph whose blocks the test makes. */
async function world(env: Record<string, string>) {
  const index = new GrowingSubgraph();
  const subgraph = await index.serve();
  const nobody = await closedPort();
  const { log, lines, text } = capturedLog();
  const { address, anonymous, stop } = await startLoneGateway(
    { SUBGRAPH_URL: subgraph.url, COMMERCE_URL: nobody, IPFS_GATEWAYS: nobody, ...env },
    log,
  );
  let stopped: Promise<void> | undefined;
  const stopOnce = () => {
    stopped ??= stop();
    return stopped;
  };
  onTestFinished(stopOnce);
  let minted = 0;
  /** Makes a block with a new record, and returns the record's token id. */
  const mint = () => {
    const tokenId = String(++minted);
    index.mint([{ id: `0x${tokenId.padStart(64, '0')}`, tokenId, at: 1_700_000_000 + minted }]);
    return tokenId;
  };
  const get = async (query = newest, headers: Record<string, string> = {}) => {
    const response = await fetch(asGet(query, address), { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** Waits, by requests that no CDN keeps, until the gateway sees the newest block. Then reads as a CDN. */
  const read = async () => {
    const tokens = async () => (await anonymous.data(newest)).srrs.edges[0]?.node.tokenId;
    await expect.poll(tokens, pollOptions).toBe(String(minted));
    const tag = blockTag(index.head);
    expect((await get()).headers.get('surrogate-key')).toBe(`srr ${tag}`);
    return tag;
  };
  mint();
  return { index, subgraph, address, log: { lines, text }, stop: stopOnce, mint, get, read };
}

/** The same, with a CDN that records its purges. */
async function purged(
  answer: (request: Received, response: ServerResponse, nth: number) => unknown = (_, response) =>
    reply(response, 200, { success: true }),
  env: Record<string, string> = {},
) {
  const at: number[] = [];
  const hook = await serve((request, response, nth) => {
    at.push(performance.now());
    return answer(request, response, nth);
  });
  const gateway = await world({ CDN_PURGE_URL: `${hook.url}/zones/7/purge_cache`, ...env });
  const tagsOfPurges = () => hook.received.map((purge) => purge.json<{ tags: string[] }>().tags);
  const purges = (count: number) => expect.poll(() => hook.received.length, pollOptions).toBe(count);
  return { ...gateway, hook, at, tagsOfPurges, purges };
}

describe('a response', () => {
  it('has the tags of its block, whether executed, prepared or cached', async () => {
    const { address, get, read } = await purged();
    // The first is executed by graphql-js, the second by its plan, and the others are in the response cache.
    const answers = [await get(), await get(), await get()];
    const tag = await read();
    for (const { headers } of [...answers, await fetch(`${address}/records`)]) {
      expect(headers.get('surrogate-key')).toBe(`srr ${tag}`);
      expect(headers.get('cache-tag')).toBe(`srr,${tag}`);
      expect(headers.get('cache-control')).toBe('public, max-age=5, s-maxage=60, stale-while-revalidate=30');
    }
    expect(answers[2]?.headers.get('cache-status')).toBe('srr-gateway; hit');
  });

  it('that no block changes has no block tag, and only the short lifetime', async () => {
    const { get } = await purged();
    const { cursor } = JSON.parse((await get()).text).data.srrs.edges[0];
    const page = `{ srrs(first: 3, after: "${cursor}") { edges { node { tokenId } } } }`;
    for (const query of ['{ __typename }', '{ __typename }', page, page]) {
      const { headers } = await get(query);
      expect(headers.get('surrogate-key')).toBe('srr');
      expect(headers.get('cache-tag')).toBe('srr');
      expect(headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=30');
    }
  });

  it('that a CDN may not keep has no tags', async () => {
    const { address, get } = await purged();
    await get();
    const authorization = { authorization: `Bearer ${loneToken}` };
    const post = (query: string, headers = {}) =>
      fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
    const others = [
      await get(newest, authorization),
      await get('{ issuances { edges { cursor } } }'),
      await get('{ nonsense }'),
      await post(newest),
      await post('mutation { deleteWebhookEndpoint(id: "x") { userErrors { code } } }', authorization),
      await fetch(`${address}/records`, { headers: authorization }),
      await fetch(`${address}/records?first=nonsense`),
      await fetch(`${address}/health/live`),
      await fetch(`${address}/health/ready`),
    ];
    for (const { headers } of others) {
      expect(headers.get('cache-control')).toMatch(/^private, no-store/);
      expect([headers.get('surrogate-key'), headers.get('cache-tag')]).toEqual([null, null]);
    }
  });

  it('has no tags when CDN_PURGE_URL is not set', async () => {
    const { get } = await world({});
    for (let n = 0; n < 2; n++) {
      const { headers } = await get();
      expect(headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=30');
      expect([headers.get('surrogate-key'), headers.get('cache-tag')]).toEqual([null, null]);
    }
  });
});

describe('a purge', () => {
  it('is sent for a new block, with its tags in header and body and the configured headers', async () => {
    const key = randomUUID();
    const { hook, mint, read, purges, tagsOfPurges } = await purged(undefined, {
      CDN_PURGE_HEADERS: `Fastly-Key=${key},fastly-soft-purge=1,authorization=Bearer%20${key}`,
    });
    const first = await read();
    mint();
    await purges(1);
    expect(hook.received[0]).toMatchObject({
      method: 'POST',
      url: '/zones/7/purge_cache',
      headers: {
        'content-type': 'application/json',
        'fastly-key': key,
        'fastly-soft-purge': '1',
        authorization: `Bearer ${key}`,
        'surrogate-key': `${first} srr`,
      },
    });
    // The first purge covers everything, because the gateway does not know what it sent before its start.
    expect(tagsOfPurges()).toEqual([[first, 'srr']]);
    const second = await read();
    mint();
    await purges(2);
    // The earlier tags again, because a response may have been in flight during the first purge.
    expect(tagsOfPurges()[1]).toEqual([second, first]);
  });

  it('is sent when a block is replaced by an older one', async () => {
    const { index, mint, read, purges, tagsOfPurges } = await purged();
    mint();
    const replaced = await read();
    index.head--;
    await purges(1);
    expect(tagsOfPurges()[0]).toContain(replaced);
  });

  it('is not sent if no response since the last one depends on a block', async () => {
    const { mint, get, read, purges, tagsOfPurges } = await purged();
    await read();
    mint();
    await purges(1);
    for (let block = 0; block < 5; block++) {
      mint();
      // Neither needs a purge: the first response is private, and the second does not depend on a block.
      await get(newest, { authorization: `Bearer ${loneToken}` });
      await get('{ __typename }');
    }
    const last = await read();
    mint();
    await purges(2);
    expect(tagsOfPurges()[1]?.[0]).toBe(last);
  });

  it('is sent for the new block after a webhook, but not for the webhook alone', async () => {
    const { address, subgraph, mint, read, purges, tagsOfPurges } = await purged();
    const deliver = async () => {
      const response = await fetch(`${address}/webhooks/commerce`, {
        method: 'POST',
        headers: { 'x-api-key': loneWebhookKey, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'issue_complete', version: 1, data: [{ externalId: randomUUID() }] }),
      });
      expect(response.status).toBe(200);
    };
    const tag = await read();
    await deliver();
    // The gateway asks the subgraph, which has no new block, so the earlier responses are still current.
    const before = subgraph.received.length;
    await expect.poll(() => subgraph.received.length, pollOptions).toBeGreaterThan(before + 5);
    expect(tagsOfPurges()).toEqual([]);
    mint();
    await deliver();
    await purges(1);
    expect(tagsOfPurges()[0]?.[0]).toBe(tag);
  });

  it('is sent by each replica for its own responses', async () => {
    const { hook, subgraph, mint, read, purges, tagsOfPurges } = await purged();
    const other = await world({ SUBGRAPH_URL: subgraph.url, CDN_PURGE_URL: hook.url });
    const both = await read();
    expect((await other.get()).headers.get('surrogate-key')).toBe(`srr ${both}`);
    mint();
    await purges(2);
    for (const tags of tagsOfPurges()) expect(tags).toContain(both);
    const one = await read();
    mint();
    await purges(3);
    expect(tagsOfPurges()[2]).toEqual([one, both]);
  });

  it('covers all blocks that came during the previous one, and is sent at most once a second', async () => {
    const held = Promise.withResolvers<void>();
    const { at, mint, read, purges, tagsOfPurges } = await purged(async (_, response, nth) => {
      if (nth === 0) await held.promise;
      reply(response, 200, {});
    });
    const first = await read();
    mint();
    await purges(1);
    const next = [await read()];
    mint();
    next.push(await read());
    mint();
    next.push(await read());
    mint();
    await purges(1);
    held.resolve();
    await purges(2);
    expect(tagsOfPurges()[1]).toEqual([...next, first]);
    await read();
    mint();
    await purges(3);
    expect((at[2] as number) - (at[1] as number)).toBeGreaterThan(950);
  });
});

describe('a CDN that fails', () => {
  it('does not delay responses, and gets the missed purges later', async () => {
    const key = randomUUID();
    const failures = [
      // Never answers.
      () => {},
      (request: Received, response: ServerResponse) => reply(response, 500, request.headers),
    ];
    const { address, log, mint, get, read, purges, hook, tagsOfPurges } = await purged(
      (request, response, nth) => (failures[nth] ?? (() => reply(response, 200, {})))(request, response),
      // A header that the log does not redact because of its name.
      { CDN_PURGE_HEADERS: `x-of-the-cdn=${key}` },
    );
    const missed = await read();
    mint();
    await purges(1);
    const startedAt = performance.now();
    for (let n = 0; n < 20; n++) expect((await get()).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await expect.poll(() => hook.received.length, { timeout: 40_000 }).toBe(failures.length + 1);
    for (const tags of tagsOfPurges()) expect(tags).toEqual(expect.arrayContaining([missed, 'srr']));
    expect(hook.received.map(({ headers }) => headers['x-of-the-cdn'])).toEqual([key, key, key]);

    await expect.poll(() => log.text(), pollOptions).toContain('it works again');
    const warnings = log.lines().filter(({ level, msg }) => level === 40 && /CDN_PURGE_URL/.test(`${msg}`));
    expect(warnings).toHaveLength(1);
    expect(log.text()).toContain('it answered 500');
    expect(log.text()).not.toContain(key);
    expect(log.text()).not.toContain('purge_cache');
    const counted = (outcome: string) => metric(address, 'srr_cdn_purges_total', { outcome });
    expect(await counted('failed')).toBe(failures.length);
    expect(await counted('ok')).toBe(1);
  }, 60_000);

  it('does not delay a stop, which is no fault of the CDN', async () => {
    const { log, mint, read, purges, stop } = await purged(() => {});
    await read();
    mint();
    await purges(1);
    const startedAt = performance.now();
    await stop();
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(log.text()).not.toContain('takes no purges');
  });
});

const lacking = missing('varnishd', 'varnish varnish-modules');
describe.skipIf(lacking)(`Varnish with deploy/varnish/default.vcl${lacking}`, () => {
  it('serves from its cache until the next block, and never to callers with a token', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'varnish-'));
    const vcl = join(folder, 'default.vcl');
    const varnish = await debianServer('varnishd', (port) => [
      ...['-F', '-j', 'none', '-n', folder, '-s', 'default,16M'],
      ...['-a', `127.0.0.1:${port}`, '-f', vcl],
    ]);
    const url = `http://127.0.0.1:${varnish.port}`;
    const { index, address, mint } = await world({ CDN_PURGE_URL: `${url}/cdn-purge` });
    const written = await readFile(join(project, 'deploy/varnish/default.vcl'), 'utf8');
    await writeFile(vcl, written.replace('"4000"', `"${new URL(address).port}"`));
    await varnish.start();
    onTestFinished(() => varnish.stop());

    const get = async (headers: Record<string, string> = {}) => {
      const response = await fetch(asGet(newest, url), { headers });
      const { data } = JSON.parse(await response.text());
      return { tokenId: data.srrs.edges[0]?.node.tokenId, headers: response.headers };
    };
    // On a hit, Varnish adds the id of the request that fetched the response.
    const isHit = ({ headers }: Awaited<ReturnType<typeof get>>) =>
      headers.get('x-varnish')?.includes(' ') === true;
    for (let block = 0; block < 3; block++) {
      const tokenId = mint();
      await expect.poll(async () => (await get()).tokenId, pollOptions).toBe(tokenId);
      await expect.poll(async () => isHit(await get())).toBe(true);
    }
    const hit = await get();
    for (const name of ['surrogate-key', 'cache-tag', 'xkey']) expect(hit.headers.get(name)).toBeNull();
    index.lists = 0;
    for (let n = 0; n < 100; n++) await get();
    expect(index.lists).toBe(0);
    expect(isHit(await get({ authorization: `Bearer ${loneToken}` }))).toBe(false);
  });
});
