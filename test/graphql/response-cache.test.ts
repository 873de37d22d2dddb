import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type CountedGateway, startCountedGateway } from '../_util/counting-upstreams.ts';
import { metric } from '../_util/metrics.ts';

// Reads are answered by their prepared plans, and with the bytes of an earlier response. The bytes are those
// of Yoga and graphql-js, which answer any request with a content-encoding, even `identity`.

let gateway: CountedGateway;
beforeAll(async () => {
  gateway = await startCountedGateway();
});
afterAll(() => gateway?.stop());

interface SentRequest {
  method?: string;
  search?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

/** The whole response as on the wire, without Date and Cache-Status. All requests have the same id. */
async function askAll({ method = 'POST', search, headers = {}, body }: SentRequest, byYoga = false) {
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

/** The parts of a response that must be equal both ways. */
async function ask(sent: SentRequest, byYoga?: boolean) {
  const { cacheStatus: _, ...response } = await askAll(sent, byYoga);
  return response;
}

const page = `query ($first: Int = 3) { srrs(first: $first) { edges { node {
  tokenId owner indexedAtBlock issuer { englishName } metadata { title { text } image { url } }
} } } }`;
const json = (question: object) => JSON.stringify(question);
const sha256Hash = createHash('sha256').update(page).digest('hex');
const persisted = json({ persistedQuery: { version: 1, sha256Hash } });

describe('a response from the cache', () => {
  /** New at each run of a test, so that no cache has the rows. */
  let newFirst = 7;

  it.each<[string, SentRequest]>([
    ['a page', { body: json({ query: page }) }],
    ['a page with variables', { body: json({ query: page, variables: { first: 2 } }) }],
    ['a page by GET', { method: 'GET', search: { query: page, variables: '{"first":2}' } }],
    [
      'a persisted query that is registered',
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
    ['a page in an unsupported format', { body: json({ query: page }), headers: { accept: 'image/png' } }],
    ['a query that reads no source', { body: json({ query: '{ __typename }' }) }],
    ['the schema', { body: json({ query: '{ __schema { types { name } } }' }) }],
    ['GraphiQL', { method: 'GET', headers: { accept: 'text/html' } }],
    ['an invalid query', { body: json({ query: '{ nothing }' }) }],
    [
      'a query with a failure',
      { body: json({ query: '{ viewer { issuer } issuances { edges { node { id } } } }' }) },
    ],
    ['a mutation by GET', { method: 'GET', search: { query: 'mutation { __typename }' } }],
    ['invalid JSON', { body: '{"query":' }],
    ['JSON with a byte order mark', { body: '\uFEFF{"query":"{ __typename }"}' }],
    ['a body without a query', { body: '{}' }],
    ['null', { body: 'null' }],
    ['a number', { body: '7' }],
    ['a batch of one', { body: json([{ query: page }]) }],
    ['a batch of two', { body: json([{ query: page }, { query: page }]) }],
    [
      'a content type that a page may send without a preflight',
      { body: json({ query: page }), headers: { 'content-type': 'text/plain' } },
    ],
    ['HEAD', { method: 'HEAD', search: { query: page } }],
    ['an unsupported method', { method: 'DELETE' }],
  ])('has the same bytes as one from graphql-js: %s', async (_, sent) => {
    for (;;) {
      const long = await ask(sent, true);
      const short = [await ask(sent), await ask(sent)];
      // Try again if a new block came in between.
      if (!isDeepStrictEqual(await ask(sent, true), long)) continue;
      expect(short).toEqual([long, long]);
      break;
    }
  });

  it.each(['text', ['a list']])(
    'has the data of a query beside a persistedQuery that is no object: %j',
    async (persistedQuery) => {
      const { body } = await ask({ body: json({ query: '{ __typename }', extensions: { persistedQuery } }) });
      expect(JSON.parse(body)).toEqual({ data: { __typename: 'Query' } });
    },
  );

  it('is marked as a hit in Cache-Status', async () => {
    const sent = { body: json({ query: `{ srrs(first: 2) { edges { cursor } } } # ${randomUUID()}` }) };
    expect((await askAll(sent)).cacheStatus).toBeUndefined();
    expect((await askAll(sent)).cacheStatus).toBe('srr-gateway; fwd=miss');
    await expect.poll(async () => (await askAll(sent)).cacheStatus).toBe('srr-gateway; hit');
  });

  it('is marked as collapsed in Cache-Status when it joins the execution of an earlier reader', async () => {
    const sent = { body: json({ query: page, variables: { first: newFirst++ } }) };
    const misses = () =>
      metric(gateway.app.url, 'srr_cache_lookups_total', { cache: 'answers', result: 'miss' });
    await ask({ body: json({ query: page }) });
    const before = await misses();
    const release = gateway.holdReads();
    onTestFinished(release);
    const readers = [askAll(sent), askAll(sent)];
    await expect.poll(misses).toBe(before + 2);
    release();
    const statuses = (await Promise.all(readers)).map(({ cacheStatus }) => cacheStatus);
    expect(statuses.sort()).toEqual(['srr-gateway; fwd=miss', 'srr-gateway; fwd=miss; collapsed']);
  });

  it('is not cached while the size of a picture is unknown', async () => {
    const query = `{ srrs(first: 20) { edges { node { metadata { image {
      width url(transform: { maxWidth: 160 })
    } } } } } }`;
    const images = async (): Promise<{ width: number | null; url: string }[]> =>
      (await gateway.anonymous.data(query)).srrs.edges.map(
        ({ node }: { node: { metadata: { image: object } } }) => node.metadata.image,
      );
    const unknown = (await images()).findIndex(({ width }) => width === null);
    const image = async () => (await images())[unknown] as { width: number | null; url: string };
    // From now on the newest block is known, and responses are cached.
    const other = { body: json({ query: '{ srrs(first: 6) { edges { cursor } } }' }) };
    await expect.poll(async () => (await askAll(other)).cacheStatus).toBe('srr-gateway; hit');
    for (let i = 0; i < 3; i++) expect(await image()).toMatchObject({ width: null });
    const { url } = await image();
    expect((await fetch(url)).status).toBe(200);
    expect(await image()).toMatchObject({ width: expect.any(Number) });
  });

  it('does not prevent a client from registering a forgotten persisted query again', async () => {
    const known = (query: string) => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    });
    const makeKnown = (query: string, headers = {}) =>
      ask({ body: json({ query, extensions: known(query) }), headers });
    const byHash = async (query: string) =>
      JSON.parse((await ask({ method: 'GET', search: { extensions: json(known(query)) } })).body);
    const run = randomUUID();
    const query = `{ srrs(first: 1) { edges { cursor } } } # ${run}`;
    await makeKnown(query);
    // Fills the whole cache of persisted queries; it is too long to send without credentials.
    await makeKnown(`{ __typename } #${run.padEnd(9_999_980)}`, gateway.caller.headers);
    expect((await byHash(query)).errors).toMatchObject([{ message: 'PersistedQueryNotFound' }]);
    await makeKnown(query);
    expect((await byHash(query)).data.srrs.edges).toHaveLength(1);
  });
});

describe('a hundred equal readers', () => {
  it.each([
    ['of a new query', `{ srrs(first: 41) { edges { node { tokenId owner } } } }`],
    ['of a known query', page],
  ])('%s cost one request to the subgraph at a new block', async (_, query) => {
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

  it('depends on Accept-Encoding, and is the same for every caller', async () => {
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

describe('a reader that waits for the execution of another', () => {
  it('has one deadline for that execution and its own', async () => {
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
