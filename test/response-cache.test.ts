import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CountedGateway, startCountedGateway } from './_util/counting-upstreams.ts';
import { metric } from './_util/metrics.ts';

// Reads are answered by their prepared plans, and with the bytes of an earlier answer. Nobody can tell: with a
// content-encoding, even one that changes nothing, the same request is left to Yoga and graphql-js.

let gateway: CountedGateway;
beforeAll(async () => {
  gateway = await startCountedGateway();
});
afterAll(() => gateway?.stop());

interface Asked {
  method?: string;
  search?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

/** Everything that is sent but the time and Cache-Status, with names and values as they are on the wire; requests are told by one id. */
async function askAll({ method = 'POST', search, headers = {}, body }: Asked, byYoga = false) {
  const url = new URL('/graphql', gateway.app.url);
  for (const [name, value] of Object.entries(search ?? {})) url.searchParams.set(name, value);
  const { promise, resolve, reject } = Promise.withResolvers<import('node:http').IncomingMessage>();
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  request(
    url,
    {
      method,
      headers: {
        'x-request-id': 'compared',
        ...type,
        ...length,
        ...headers,
        ...(byYoga && { 'content-encoding': 'identity' }),
      },
    },
    resolve,
  )
    .on('error', reject)
    .end(body);
  const response = await promise;
  const { statusCode, statusMessage, rawHeaders } = response;
  return {
    status: [statusCode, statusMessage],
    headers: rawHeaders.filter((_, i) => !/^(date|cache-status)$/i.test(rawHeaders[i - (i % 2)] ?? '')),
    cacheStatus: response.headers['cache-status'],
    body: await text(response),
  };
}

/** What must not tell the two ways apart. */
async function ask(asked: Asked, byYoga?: boolean) {
  const { cacheStatus: _, ...told } = await askAll(asked, byYoga);
  return told;
}

const page = `query ($first: Int = 3) { srrs(first: $first) { edges { node {
  tokenId owner indexedAtBlock issuer { englishName } metadata { title { text } image { url } }
} } } }`;
const json = (question: object) => JSON.stringify(question);
const sha256Hash = createHash('sha256').update(page).digest('hex');
const persisted = json({ persistedQuery: { version: 1, sha256Hash } });

describe('an answer from memory', () => {
  it.each<[string, Asked]>([
    ['a page', { body: json({ query: page }) }],
    ['a page with variables', { body: json({ query: page, variables: { first: 2 } }) }],
    ['a page by GET', { method: 'GET', search: { query: page, variables: '{"first":2}' } }],
    [
      'a persisted query that is made known',
      { body: json({ query: page, extensions: JSON.parse(persisted) }) },
    ],
    ['a persisted query', { method: 'GET', search: { extensions: persisted } }],
    [
      'a page in another language',
      { body: json({ query: page }), headers: { 'accept-language': 'ja, en;q=0.5' } },
    ],
    ['a page for another site', { body: json({ query: page }), headers: { origin: 'https://shop.example' } }],
    [
      'a page as GraphQL’s own type',
      { body: json({ query: page }), headers: { accept: 'application/graphql-response+json' } },
    ],
    ['a page as event stream', { body: json({ query: page }), headers: { accept: 'text/event-stream' } }],
    ['a page in no form that there is', { body: json({ query: page }), headers: { accept: 'image/png' } }],
    ['nothing of a source', { body: json({ query: '{ __typename }' }) }],
    ['the schema', { body: json({ query: '{ __schema { types { name } } }' }) }],
    ['GraphiQL', { method: 'GET', headers: { accept: 'text/html' } }],
    ['an invalid query', { body: json({ query: '{ nothing }' }) }],
    [
      'a query with a failure',
      { body: json({ query: '{ viewer { issuer } issuances { edges { node { id } } } }' }) },
    ],
    ['a mutation by GET', { method: 'GET', search: { query: 'mutation { __typename }' } }],
    ['no JSON', { body: '{"query":' }],
    ['JSON with a byte order mark', { body: '\uFEFF{"query":"{ __typename }"}' }],
    ['nothing asked', { body: '{}' }],
    ['null', { body: 'null' }],
    ['a number', { body: '7' }],
    ['one in a batch', { body: json([{ query: page }]) }],
    ['many at once', { body: json([{ query: page }, { query: page }]) }],
    [
      'a form that a page may send unasked',
      { body: json({ query: page }), headers: { 'content-type': 'text/plain' } },
    ],
    ['HEAD', { method: 'HEAD', search: { query: page } }],
    ['no method of GraphQL', { method: 'DELETE' }],
  ])('is byte for byte the same: %s', async (_, asked) => {
    for (;;) {
      const long = await ask(asked, true);
      const short = [await ask(asked), await ask(asked)];
      // A block that came in between would make a difference of its own.
      if (!isDeepStrictEqual(await ask(asked, true), long)) continue;
      expect(short).toEqual([long, long]);
      break;
    }
  });

  it('says so in Cache-Status', async () => {
    const asked = { body: json({ query: '{ srrs(first: 2) { edges { cursor } } }' }) };
    expect((await askAll(asked)).cacheStatus).toBeUndefined();
    expect((await askAll(asked)).cacheStatus).toBe('srr-gateway; fwd=miss');
    await expect.poll(async () => (await askAll(asked)).cacheStatus).toBe('srr-gateway; hit');
  });

  it('says in Cache-Status when it was made for an earlier reader, who still waits', async () => {
    const asked = { body: json({ query: page, variables: { first: 7 } }) };
    const misses = () =>
      metric(gateway.app.url, 'srr_cache_lookups_total', { cache: 'answers', result: 'miss' });
    await ask({ body: json({ query: page }) });
    const before = await misses();
    const release = gateway.holdReads();
    const readers = [askAll(asked), askAll(asked)];
    await expect.poll(misses).toBe(before + 2);
    release();
    const told = (await Promise.all(readers)).map(({ cacheStatus }) => cacheStatus);
    expect(told.sort()).toEqual(['srr-gateway; fwd=miss', 'srr-gateway; fwd=miss; collapsed']);
  });

  it('is not kept while the size of a picture may come', async () => {
    const query = `{ srrs(first: 1) { edges { node { metadata { image {
      width url(transform: { maxWidth: 160 })
    } } } } } }`;
    const image = async () => (await gateway.anonymous.data(query)).srrs.edges[0].node.metadata.image;
    // From now on the newest block is known, and what may be kept is kept.
    const other = { body: json({ query: '{ srrs(first: 6) { edges { cursor } } }' }) };
    await expect.poll(async () => (await askAll(other)).cacheStatus).toBe('srr-gateway; hit');
    for (let i = 0; i < 3; i++) expect(await image()).toMatchObject({ width: null });
    const { url } = await image();
    expect((await fetch(url)).status).toBe(200);
    expect(await image()).toMatchObject({ width: expect.any(Number) });
  });

  it('does not keep a client from making a forgotten query known again', async () => {
    const known = (query: string) => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    });
    const makeKnown = (query: string, headers = {}) =>
      ask({ body: json({ query, extensions: known(query) }), headers });
    const byHash = async (query: string) =>
      JSON.parse((await ask({ method: 'GET', search: { extensions: json(known(query)) } })).body);
    const query = '{ srrs(first: 1) { edges { cursor } } }';
    await makeKnown(query);
    // As long as all that are remembered together; too long for somebody without credentials.
    await makeKnown(`{ __typename } #${' '.repeat(9_999_980)}`, gateway.caller.headers);
    expect((await byHash(query)).errors).toMatchObject([{ message: 'PersistedQueryNotFound' }]);
    await makeKnown(query);
    expect((await byHash(query)).data.srrs.edges).toHaveLength(1);
  });
});

describe('a hundred equal readers', () => {
  it.each([
    ['of what nobody asked before', `{ srrs(first: 41) { edges { node { tokenId owner } } } }`],
    ['of what they asked before', page],
  ])('%s cost one question to the subgraph at a new block', async (_, query) => {
    if (query === page) await gateway.anonymous.data(query);
    await gateway.moveBlock();
    const cost = await gateway.costOf(async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => gateway.anonymous.data(query)));
      expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    });
    expect(cost.subgraph).toEqual({ Srrs: 1 });
  });
});

describe('compression', () => {
  const long = page.replace('= 3', '= 50');
  const coding = async (headers: Record<string, string>) => {
    const answer = await fetch(new URL('/graphql', gateway.app.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: json({ query: long }),
    });
    const { headers: got } = answer;
    return { coding: got.get('content-encoding'), vary: got.get('vary'), data: await answer.json() };
  };

  it('is for who takes it, whoever asks', async () => {
    const plain = await coding({ 'accept-encoding': 'identity' });
    expect(plain.coding).toBeNull();
    const compressed = await coding({ 'accept-encoding': 'gzip' });
    expect(compressed.coding).toBe('gzip');
    expect([plain.vary, compressed.vary]).toEqual(Array(2).fill(expect.stringContaining('accept-encoding')));
    expect(compressed.data).toEqual(plain.data);
    expect(await coding({ 'accept-encoding': 'identity' })).toEqual(plain);
    const issuer = await coding({ 'accept-encoding': 'gzip', ...gateway.caller.headers });
    expect(issuer).toEqual(compressed);
  });
});

describe('a reader who waits for the answer of another', () => {
  it('has one deadline for that and for its own question', async () => {
    const hasty = await startCountedGateway({ env: { REQUEST_TIMEOUT: '3' } });
    onTestFinished(() => hasty.stop());
    await hasty.anonymous.data(page);
    await hasty.moveBlock();
    hasty.holdReads();
    const read = async () => {
      const startedAt = performance.now();
      const { errors } = await hasty.anonymous.ask(page);
      return { code: errors?.[0]?.extensions.code, ms: performance.now() - startedAt };
    };
    const readers = await Promise.all([read(), read(), read()]);
    for (const { code, ms } of readers) {
      expect(code).toBe('UPSTREAM_TIMEOUT');
      expect(ms).toBeLessThan(5_000);
    }
  });
});
