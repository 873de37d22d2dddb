import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';
import type { Data } from './_util/graphql-caller.ts';
import { startRecordingProxy } from './_util/recording-proxy.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway?.stop());

interface Asked {
  query?: string;
  hash?: string;
  version?: number;
  headers?: Record<string, string>;
}

/** By GET, as what is to be cached has to be asked for. */
async function get({ query, hash, version = 1, headers = {} }: Asked, from = gateway) {
  const url = new URL(`${from.app.url}/graphql`);
  if (query !== undefined) url.searchParams.set('query', query);
  if (hash)
    url.searchParams.set('extensions', JSON.stringify({ persistedQuery: { version, sha256Hash: hash } }));
  const response = await fetch(url, { headers: { accept: 'application/json', ...headers } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const publicQuery = '{ srrs(first: 1) { edges { node { id } } } }';
const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
const cacheControl = async (asked: Asked) => (await get(asked)).headers.get('cache-control');

describe('a persisted query', () => {
  it('is asked for once, and from then on its hash is enough', async () => {
    const hash = hashOf(publicQuery);
    const unknown = await get({ hash });
    expect(unknown.status).toBe(200);
    expect(unknown.body.errors).toMatchObject([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    expect(unknown.headers.get('cache-control')).toBe('private, no-store');
    expect((await get({ hash, query: publicQuery })).body.data.srrs.edges).toEqual([]);
    expect((await get({ hash })).body.data.srrs.edges).toEqual([]);
  });

  it('is refused under the hash of another, and in another version of the protocol', async () => {
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

describe('a cache on the way', () => {
  it('may keep what anybody may see, for seconds and by language', async () => {
    const { headers } = await get({ query: publicQuery });
    expect(headers.get('cache-control')).toBe('public, max-age=5, stale-while-revalidate=30');
    expect(headers.get('vary')?.split(', ')).toEqual([
      ...['authorization', 'commerce-api-key', 'issuer-address'],
      ...['accept-language', 'accept', 'accept-encoding', 'graphql-cost'],
    ]);
  });

  it.each<[string, Asked]>([
    [
      'an issuer’s own',
      { query: '{ viewer { issuer } }', headers: { authorization: `Bearer ${testToken}` } },
    ],
    [
      'public, but asked for by an issuer',
      { query: publicQuery, headers: { authorization: `Bearer ${testToken}` } },
    ],
    ['with what is left of a caller’s budget', { query: publicQuery, headers: { 'graphql-cost': 'report' } }],
    ['with an error', { query: '{ issuances { edges { node { id } } } }' }],
    ['not even a query', { query: '{ nonsense' }],
  ])('may keep nothing that is %s', async (_, asked) => {
    expect(await cacheControl(asked)).toBe('private, no-store');
  });

  it('may keep no page that lacks a document, or has a wrong one, and may keep it once all are there', async () => {
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
    const look = async () => {
      const { headers, body } = await get({ query }, withRecords);
      const nodes = body.data.srrs.edges.map(({ node }: Data) => node.metadataStatus);
      return { cacheControl: headers.get('cache-control'), statuses: new Set<string>(nodes) };
    };
    // The first is answered by graphql-js, the others by the prepared read.
    for (let n = 0; n < 3; n++) {
      const { cacheControl, statuses } = await look();
      expect([...statuses]).toEqual(expect.arrayContaining(['NOT_FOUND', 'HASH_MISMATCH']));
      expect(cacheControl).toBe('private, no-store');
    }
    content.answerInstead = undefined;
    await expect.poll(look, { timeout: 20_000, interval: 500 }).toEqual({
      cacheControl: 'public, max-age=5, stale-while-revalidate=30',
      statuses: new Set(['VERIFIED']),
    });
  }, 60_000);

  it('may keep no answer to a POST', async () => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: publicQuery }),
    });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });
});
