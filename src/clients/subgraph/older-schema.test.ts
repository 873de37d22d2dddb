import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { reply, serve } from '../../../test/_util/http-server.ts';
import { answer, clientOf, type Operation, olderSchema, says } from '../../../test/_util/schema-subgraph.ts';
import { serveVersion, withLess } from '../../../test/_util/subgraph-version.ts';
import { OlderSchema } from './older-schema.ts';

/** A subgraph without collections, whose records have these columns, and filters with these too. */
const subgraph = (columns: string, filters = '') =>
  new OlderSchema(
    introspectionFromSchema(
      buildSchema(`
        type Query { srrs(first: Int, where: SRR_filter): [SRR!]! }
        type SRR { ${columns} }
        type LicensedUserWallet { id: ID! }
        input SRR_filter { id_in: [ID!] ${filters} }
      `),
    ),
  );

function trim(schema: OlderSchema, query: string, variables?: object) {
  const found = schema.trimBody(JSON.stringify({ query, variables }));
  if (!found) return undefined;
  const cut = JSON.parse(found.body) as { query: string; variables: object };
  return { ...cut, query: cut.query.replaceAll(/\s+/g, ' '), absent: found.absent };
}

describe('an operation that is cut to an older schema', () => {
  const older = subgraph('id: ID! issuer: LicensedUserWallet');

  it('has neither later columns and lists nor the fragments and variables that only these used', () => {
    const query = `
      query ($first: Int, $where: Collection_filter) {
        list0: srrs(first: $first) { id royaltyReceiver collection { id ...Name } }
        list1: collections(where: $where) { id ...Name }
        collections { id }
      }
      fragment Name on Collection { name }`;
    expect(trim(older, query, { first: 1 })).toEqual({
      query: 'query ($first: Int) { list0: srrs(first: $first) { id } }',
      variables: { first: 1 },
      absent: ['list1', 'collections'],
    });
  });

  it('has no relation of which only later columns were selected', () => {
    expect(trim(older, '{ srrs { id issuer { originChain } } }')?.query).toBe('{ srrs { id } }');
  });

  it('is undefined when a required column is missing', () => {
    expect(trim(older, '{ srrs { id ownerAddress } }')).toBeUndefined();
  });

  it.each([
    ['of a collection', { collection: '0x1' }, { id_in: [] }],
    ['of some collections', { collection_in: ['0x1'] }, { id_in: [] }],
    ['of any collection', { collection_not: null }, { id_in: [] }],
    ['of the registry', { collection: null, tokenId: '1' }, { tokenId: '1' }],
    ['of the registry or a collection', { or: [{ collection: null }, { collection: '0x1' }] }, {}],
    [
      'of a collection or an owner',
      { and: [{ or: [{ collection: '0x1' }, { ownerAddress: '0x2' }] }, { tokenId_in: ['1'] }] },
      { and: [{ or: [{ id_in: [] }, { ownerAddress: '0x2' }] }, { tokenId_in: ['1'] }] },
    ],
  ])('reads the records %s among those of the registry, unless there are others', (_, where, cut) => {
    const query = 'query ($where: SRR_filter) { srrs(where: $where) { id } }';
    expect(trim(older, query, { where })?.variables).toEqual({ where: cut });
    const later = subgraph('id: ID!', 'collection: String');
    expect(trim(later, query, { where })?.variables).toEqual({ where });
  });
});

it('all columns are requested again within ten minutes after a subgraph was upgraded', async () => {
  let older = true;
  const columns: string[] = [];
  const server = await serve((request, response) => {
    const { query } = request.json<Operation>();
    const isSchema = query.includes('__schema');
    if (!isSchema) columns.push(/originTxHash/.test(query) ? 'all' : 'older');
    if (isSchema) return reply(response, 200, { data: introspectionFromSchema(olderSchema) });
    if (older && /originTxHash/.test(query))
      return says('Type `SRR` has no field `originTxHash`')(request, response);
    return answer(request, response);
  });
  const client = clientOf([server.url]);
  const read = () => client.byIds('srrs', ['0xa1']);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  await read();
  await read();
  older = false;
  vi.advanceTimersByTime(11 * 60_000);
  await read();
  await read();
  expect(columns).toEqual(['all', 'older', 'older', 'all', 'all']);
});

it('the schema is requested once for all queries that were sent before it was known', async () => {
  const queries = 5;
  const refused = Promise.withResolvers<void>();
  const learned = Promise.withResolvers<void>();
  let sent = 0;
  let schemas = 0;
  const server = await serve(async (request, response) => {
    const { query } = request.json<Operation>();
    if (query.includes('__schema')) {
      schemas++;
      await learned.promise;
      return reply(response, 200, { data: introspectionFromSchema(olderSchema) });
    }
    if (!/originTxHash/.test(query)) return answer(request, response);
    if (++sent === queries) refused.resolve();
    await refused.promise;
    return says('Type `SRR` has no field `originTxHash`')(request, response);
  });
  const client = clientOf([server.url]);
  const leaving = new AbortController();
  const left = client.byIds('srrs', ['0xa0'], { signal: leaving.signal }).catch((error: unknown) => error);
  const reads = Array.from({ length: queries - 1 }, (_, i) => client.byIds('srrs', [`0xb${i}`]));
  await vi.waitFor(() => expect(schemas).toBeGreaterThan(0));
  const reason = new Error('the caller left');
  leaving.abort(reason);
  expect(await left).toBe(reason);
  learned.resolve();
  for (const { rows } of await Promise.all(reads)) expect(rows.size).toBe(1);
  expect(schemas).toBe(1);
});

it('lists that an older subgraph lacks are empty, also when its answer comes from the cache', async () => {
  const server = await serveVersion(withLess({ fields: { Query: ['collections'] } }), () => ({}));
  const client = clientOf([server.url], { cache: true });
  const read = async () => (await client.lists('collections', [{ first: 1 }])).lists;
  expect(await read()).toEqual([[]]);
  const { length } = server.received;
  expect(await read()).toEqual([[]]);
  expect(server.received).toHaveLength(length);
});
