import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway, testToken } from './_util/gateway.ts';

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
async function get({ query, hash, version = 1, headers = {} }: Asked) {
  const url = new URL(`${gateway.app.url}/graphql`);
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
    expect(headers.get('vary')?.split(', ')).toEqual(
      expect.arrayContaining(['authorization', 'accept-language', 'commerce-api-key']),
    );
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
    ['with an error', { query: '{ issuances { edges { node { id } } } }' }],
    ['not even a query', { query: '{ nonsense' }],
  ])('may keep nothing that is %s', async (_, asked) => {
    expect(await cacheControl(asked)).toBe('private, no-store');
  });

  it('may keep no answer to a POST', async () => {
    const response = await fetch(`${gateway.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: publicQuery }),
    });
    expect(response.headers.get('cache-control')).toBe('private, no-store');
  });
});
