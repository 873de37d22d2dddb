import { describe, expect, it } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, reply, serve } from '../../../test/_util/http-server.ts';
import {
  address,
  answer,
  clientOf,
  type Operation,
  variablesOf,
  windows,
} from '../../../test/_util/schema-subgraph.ts';
import type { SubgraphError } from './subgraph.ts';

describe('the subgraph client', () => {
  it('reads records by id in one request, with their licensed users and the block', async () => {
    const server = await serve((request, response) => answer(request, response, { known: /^0xa/ }));
    const result = await clientOf([server.url]).byIds('srrs', ['0xa1', '0xA2', '0xa1', '0xbb']);
    expect(result.block).toEqual({ number: 7, hash: '0xab', timestamp: 1_700_000_000 });
    expect([...result.rows.keys()]).toEqual(['0xa1', '0xa2']);
    expect(result.rows.get('0xa1')).toMatchObject({ issuer: { englishName: 'User 1' }, collection: null });
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.headers).toMatchObject({
      accept: 'application/graphql-response+json, application/json',
      authorization: 'Bearer key',
    });
  });

  it('requests _meta without an alias, at the same block as the rows, and without a key if it has none', async () => {
    const server = await serve((request, response) => answer(request, response));
    const client = clientOf([server.url], { apiKey: undefined });
    const result = await client.byIds('srrs', ['0xa1'], { block: { number: 5 } });
    expect(result.block).toEqual({ number: 5 });
    expect(server.received[0]?.headers).not.toHaveProperty('authorization');
    expect(server.received[0]?.json<Operation>().query).toContain('}_meta(block:$block)');
    expect(variablesOf(server.received[0])).toMatchObject({ block: { number: 5 } });
  });

  it('reads many ids in lists of a thousand, ten lists in each request, all at one block', async () => {
    let tip = 7;
    const server = await serve((request, response) => answer(request, response, { block: tip++ }));
    const ids = Array.from({ length: 12_500 }, (_, i) => `0xa${i}`);
    const result = await clientOf([server.url]).byIds('srrs', ids);
    expect(result.rows.size).toBe(12_500);
    const counts = server.received.map((request) => {
      const lists = Object.entries(variablesOf(request)).filter(([name]) => name.startsWith('where'));
      return lists.map(([, where]) => (where as { id_in: string[] }).id_in.length);
    });
    expect(counts).toEqual([Array.from({ length: 10 }, () => 1_000), [1_000, 1_000, 500]]);
    expect(server.received.map((request) => variablesOf(request).block)).toEqual([
      undefined,
      { hash: '0xab' },
    ]);
  });

  it.each([
    ['fewer rows', 'provenance101: provenance(first: 101) { from }', [[99], [99], [52]]],
    ['fewer lists', 'provenance40: provenance(first: 40) { from }', [[250]]],
    [
      'as many rows as fit',
      'provenance21: provenance(first: 21) { from } history21: history(first: 21) { id }',
      [[238], [12]],
    ],
    ['one row', 'provenance20000: provenance(first: 20000) { from }', Array(250).fill([1])],
  ])('requests %s at once when each row has many children', async (_, select, sizes) => {
    const server = await serve((request, response) => answer(request, response));
    const ids = Array.from({ length: 250 }, (_, i) => `0xa${i}`);
    const { rows } = await clientOf([server.url]).byIds('srrs', ids, {}, select);
    expect(rows.size).toBe(250);
    const counts = server.received.map((request) => {
      const lists = Object.entries(variablesOf(request)).filter(([name]) => name.startsWith('where'));
      return lists.map(([, where]) => (where as { id_in: string[] }).id_in.length);
    });
    expect(counts).toEqual(sizes);
  });

  it('requests each column once, and children once for each number of them', async () => {
    const server = await serve((request, response) => answer(request, response));
    const few = 'provenance2: provenance(first: 2)';
    const more = 'provenance3: provenance(first: 3)';
    const select = `tokenId issuer { id } ${few} { from } ${more} { to } issuer { id salt } ${few} { to from }`;
    await clientOf([server.url]).byIds('srrs', ['0xa1'], {}, select);
    expect(server.received[0]?.json<Operation>().query).toContain(
      '{id tokenId issuer{id salt}provenance2:provenance(first:2){from to}provenance3:provenance(first:3){to}}',
    );
  });

  it('reads licensed users by address in any letter case', async () => {
    const server = await serve((request, response) => answer(request, response));
    const checksummed = address(10).toUpperCase().replace('0X', '0x');
    const { rows } = await clientOf([server.url]).byIds('licensedUsers', [checksummed, address(10)]);
    expect(rows.get(address(10))?.englishName).toBe('User 10');
    expect(variablesOf(server.received[0])).toMatchObject({ where0: { id_in: [address(10)] } });
  });

  it('reads the same page of children of many records in one request', async () => {
    const server = await serve((request, response) => answer(request, response));
    const { bySrr } = await clientOf([server.url]).provenancesOf(['0xa1', '0xa2'], {
      first: 10,
      after: { value: '5', id: 'x' },
    });
    expect([...bySrr].map(([id, [child]]) => [id, child?.id])).toEqual([
      ['0xa1', '0xa1-p'],
      ['0xa2', '0xa2-p'],
    ]);
    expect(server.received).toHaveLength(1);
    expect(windows[0]).toEqual({
      first: 10,
      where: { or: [{ timestamp_gt: '5' }, { timestamp: '5', id_gt: 'x' }] },
    });
  });

  it('reads long pages of children of a few records at a time, and each record once', async () => {
    const server = await serve((request, response) => answer(request, response));
    const ids = Array.from({ length: 25 }, (_, i) => `0xa${i}`);
    const { bySrr } = await clientOf([server.url]).provenancesOf([...ids, ...ids], { first: 999 });
    expect(bySrr.size).toBe(25);
    expect(server.received.map((request) => (variablesOf(request).ids as string[]).length)).toEqual([
      10, 10, 5,
    ]);
  });

  it('reads children of at most a thousand records, and at most a hundred lists, in one request', async () => {
    const server = await serve((request, response) => answer(request, response));
    const client = clientOf([server.url]);
    const ids = Array.from({ length: 1_001 }, (_, i) => `0xa${i}`);
    expect((await client.provenancesOf(ids, { first: 1 })).bySrr.size).toBe(1_001);
    const queries = ids.slice(0, 101).map((id) => ({ where: { id_in: [id] }, first: 1 }));
    expect((await client.lists('srrs', queries)).lists).toHaveLength(101);
    const sizes = server.received.map(variablesOf).map(({ ids = [], ...lists }) => {
      const first = Object.keys(lists).filter((name) => name.startsWith('where'));
      return [(ids as string[]).length, first.length];
    });
    expect(sizes).toEqual([
      [1_000, 1],
      [1, 1],
      [0, 100],
      [0, 1],
    ]);
  });

  it('reads many lists in one request, each with its own rows, and sends no request for none', async () => {
    const server = await serve((request, response) => answer(request, response));
    const ids = [['0xa1'], ['0xa2', '0xa3'], []];
    const { lists, block } = await clientOf([server.url]).lists(
      'srrs',
      ids.map((id_in) => ({ where: { id_in }, first: 5, orderBy: 'createdAt', direction: 'desc' })),
    );
    expect(lists.map((rows) => rows.map(({ id }) => id))).toEqual(ids);
    expect(block.number).toBe(7);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]?.json<Operation>().query).toContain('}_meta(block:$block)');

    for (const list1 of [undefined, { id: '0xa1' }, [null]]) {
      const wrong = await serve((_, response) =>
        reply(response, 200, {
          data: { _meta: { block: { number: 7 }, hasIndexingErrors: false }, list0: [], list1 },
        }),
      );
      expect(
        await failure<SubgraphError>(clientOf([wrong.url]).lists('srrs', [{ first: 1 }, { first: 2 }])),
      ).toMatchObject({ kind: 'BAD_ANSWER' });
    }
  });

  it('sends each operation in a form that the schema accepts', async () => {
    const server = await serve((request, response) => answer(request, response));
    const client = clientOf([server.url]);
    expect((await client.metadataHistoriesOf(['a'], { first: 1 })).bySrr).toEqual(new Map([['a', []]]));
    expect((await client.customHistoriesOf(['a'], { first: 1 })).bySrr).toEqual(new Map([['a', []]]));
    await client.byIds('collections', [address(1)]);
    await client.lists('collections', [
      { where: { name_contains_nocase: 'a' }, first: 1, orderBy: 'name', direction: 'desc' },
    ]);
    expect(await client.meta()).toMatchObject({ block: { number: 7 } });
  });
});

describe('the health of the subgraph', () => {
  it('reports the block and the lag', async () => {
    const server = await serve((request, response) => answer(request, response));
    const health = await clientOf([server.url]).check();
    expect(health).toMatchObject({ health: 'OK', block: 7, hasIndexingErrors: false });
    expect(health.lagSeconds).toBeGreaterThan(1_000_000);
  });

  it('is DEGRADED on a second endpoint and DOWN without any', async () => {
    const server = await serve((request, response) => answer(request, response));
    const closed = await closedPort();
    expect(await clientOf([closed, server.url]).check()).toMatchObject({ health: 'DEGRADED', block: 7 });
    expect(await clientOf([closed]).check()).toMatchObject({ health: 'DOWN' });
  });

  it('is reported in time when an endpoint hangs', async () => {
    const server = await serve((request, response) => answer(request, response));
    const hanging = await serve(() => {});
    const health = await clientOf([hanging.url, server.url]).check(AbortSignal.timeout(5_000));
    expect(health).toMatchObject({ health: 'DEGRADED', block: 7 });
  });
});
