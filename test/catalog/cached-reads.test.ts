import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from '../_util/gateway.ts';
import type { Data } from '../_util/graphql-caller.ts';
import { startRecordingProxy } from '../_util/recording-proxy.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

interface Query {
  query?: string;
  hash?: string;
  version?: number;
  headers?: Record<string, string>;
}

/** Sends a query by GET, because only responses to GET can be cached. */
async function get({ query, hash, version = 1, headers = {} }: Query, from = gateway) {
  const url = new URL(`${from.app.url}/graphql`);
  if (query !== undefined) url.searchParams.set('query', query);
  if (hash)
    url.searchParams.set('extensions', JSON.stringify({ persistedQuery: { version, sha256Hash: hash } }));
  const response = await fetch(url, { headers: { accept: 'application/json', ...headers } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const publicQuery = '{ srrs(first: 1) { edges { node { id } } } }';
const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
const cacheControl = async (query: Query) => (await get(query)).headers.get('cache-control');

describe('a persisted query', () => {
  it('is sent in full once, and afterwards by its hash', async () => {
    const query = `${publicQuery} # ${randomUUID()}`;
    const hash = hashOf(query);
    const unknown = await get({ hash });
    expect(unknown.status).toBe(200);
    expect(unknown.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    expect(unknown.headers.get('cache-control')).toBe('private, no-store');
    expect((await get({ hash, query })).body.data.srrs.edges).toEqual([]);
    expect((await get({ hash })).body.data.srrs.edges).toEqual([]);
  });

  it('is refused with the hash of another query, or in another protocol version', async () => {
    const mismatch = await get({ hash: hashOf('{ __typename }'), query: publicQuery });
    expect(mismatch).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'PERSISTED_QUERY_MISMATCH' } }] },
    });
    expect(await get({ hash: hashOf(publicQuery), version: 2 })).toMatchObject({
      status: 400,
      body: { errors: [{ message: 'PersistedQueryNotSupported' }] },
    });
  });
});

describe('a shared cache', () => {
  it('may keep a public response for seconds, varying by language', async () => {
    const { headers } = await get({ query: publicQuery });
    expect(headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=30');
    expect(headers.get('vary')?.split(', ')).toEqual([
      ...['authorization', 'commerce-api-key', 'issuer-address'],
      ...['accept-language', 'accept', 'accept-encoding', 'graphql-cost'],
    ]);
  });

  it.each<[string, Query]>([
    [
      'with private data of an issuer',
      { query: '{ viewer { issuer } }', headers: { authorization: `Bearer ${testToken}` } },
    ],
    [
      'with public data for an issuer',
      { query: publicQuery, headers: { authorization: `Bearer ${testToken}` } },
    ],
    [
      'with the remaining budget of the caller',
      { query: publicQuery, headers: { 'graphql-cost': 'report' } },
    ],
    ['with the health of the sources', { query: '{ sources { kind health } }' }],
    ['with an error', { query: '{ issuances { edges { node { id } } } }' }],
    ['to an invalid query', { query: '{ nonsense' }],
  ])('may not keep a response %s', async (_, query) => {
    expect(await cacheControl(query)).toBe('private, no-store');
  });

  it('may keep a page only once all its documents are present and verified', async () => {
    const content = await startRecordingProxy();
    onTestFinished(() => content.stop());
    const upstreams = { ipfsGateways: [content.url] };
    const withRecords = await startTestGateway({ sandbox: { fixtures: true }, upstreams });
    onTestFinished(() => withRecords.stop());
    content.target = new URL(withRecords.info.ipfsUrl).origin;
    const missing = { status: 404, text: 'not found' };
    const wrong = { status: 200, text: 'other bytes' };
    content.answerInstead = ({ call }) => (call.charCodeAt(20) % 2 === 0 ? missing : wrong);

    const query = '{ srrs(first: 30) { edges { node { metadataStatus } } } }';
    const readPage = async () => {
      const { headers, body } = await get({ query }, withRecords);
      const nodes = body.data.srrs.edges.map(({ node }: Data) => node.metadataStatus);
      return { cacheControl: headers.get('cache-control'), statuses: new Set<string>(nodes) };
    };
    // The first is answered by graphql-js, the others by the prepared read.
    for (let n = 0; n < 3; n++) {
      const { cacheControl, statuses } = await readPage();
      expect([...statuses]).toEqual(expect.arrayContaining(['NOT_FOUND', 'HASH_MISMATCH']));
      expect(cacheControl).toBe('private, no-store');
    }
    content.answerInstead = undefined;
    await expect.poll(readPage, { timeout: 20_000, interval: 500 }).toEqual({
      cacheControl: 'public, max-age=5, stale-while-revalidate=30',
      statuses: new Set(['VERIFIED']),
    });
  }, 60_000);

  it('may not keep a response to a POST', async () => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: publicQuery }),
    });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });
});
