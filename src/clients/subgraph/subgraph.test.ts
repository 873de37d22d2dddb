import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createLogger, type Logger } from '@srr-gateway/common/log';
import { buildSchema, graphql, introspectionFromSchema } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { capturedLog } from '../../../test/_util/captured-log.ts';
import { failure } from '../../../test/_util/failure.ts';
import { closedPort, type Received, reply, serve } from '../../../test/_util/http-server.ts';
import { createSubgraph, type SubgraphError, srrId } from './subgraph.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const sdl = readFileSync(new URL('../../../schema/subgraph.graphql', import.meta.url), 'utf8');
const schema = buildSchema(sdl);
const olderSchema = buildSchema(sdl.replaceAll(/^ *originTxHash: .*$/gm, ''));
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

const user = (n: number) => ({
  id: address(n),
  walletAddress: address(n),
  threshold: 1,
  englishName: `User ${n}`,
  originalName: `User ${n}`,
  userType: 'artist',
  owners: [address(n + 1000)],
  salt: '0x00',
  originChain: null,
  createdAt: '1700000000000',
  createdAtStr: '',
  updatedAt: '1700000000000',
  updatedAtStr: '',
});
const srr = (id: string) => ({
  id,
  tokenId: '1',
  collection: null,
  issuer: user(1),
  artist: user(2),
  createdAt: '1700000000000',
  updatedAt: '1700000000000',
  provenance: ({ first, where }: { first: number; where: unknown }) => {
    windows.push({ first, where });
    return [
      {
        id: `${id}-p`,
        timestamp: '1700000000000',
        from: address(1),
        to: address(2),
        metadataDigest: '',
        metadataURI: '',
      },
    ];
  },
  metadataHistory: [],
  history: [],
});
let windows: unknown[] = [];

type Operation = { query: string; variables: Record<string, unknown> };

/** Executes the operation against the real schema, like a subgraph at this block. */
async function answer(
  request: Received,
  response: ServerResponse,
  { block = 7, known = /./, errors }: { block?: number; known?: RegExp; errors?: object[] } = {},
) {
  const { query, variables } = request.json<Operation>();
  const result = await graphql({
    schema,
    source: query,
    variableValues: variables,
    rootValue: {
      srrs: ({ where, first }: { where: { id_in: string[] }; first: number }) =>
        where.id_in
          .filter((id) => known.test(id))
          .slice(0, first)
          .map(srr),
      licensedUserWallets: ({ where }: { where: { id_in: string[] } }) =>
        where.id_in.map((id) => user(Number(id))),
      collections: () => [],
      _meta: ({ block: at }: { block?: { number?: number } }) => ({
        block: at?.number === undefined ? { number: block, hash: '0xab', timestamp: 1_700_000_000 } : at,
        deployment: 'Qm',
        hasIndexingErrors: false,
      }),
    },
  });
  reply(response, 200, { errors, ...result });
}

const variablesOf = (request: Received | undefined) => request?.json<Operation>().variables ?? {};

function clientOf(
  endpoints: string[],
  options: { apiKey?: string | undefined; timeoutMs?: number; blockWaitMs?: number; log?: Logger } = {},
) {
  windows = [];
  const subgraph = createSubgraph({ endpoints, apiKey: 'key', log, ...options });
  onTestFinished(() => subgraph.close());
  return subgraph;
}
const says = (message: string) => (_: Received, response: ServerResponse) =>
  reply(response, 200, { data: null, errors: [{ message }] });

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

describe('a failing subgraph', () => {
  it.each([
    [
      'BLOCK_PRUNED',
      'Failed to decode `block.number` value: `subgraph Qm only has data starting at block number 9 and data for block number 5 is therefore not available`',
    ],
    ['BLOCK_UNKNOWN', 'Failed to decode `block.hash` value: `no block with that hash found`'],
    ['NOT_DEPLOYED', 'deployment `Qm` does not exist'],
    ['NOT_DEPLOYED', 'subgraph not found: x'],
    ['UNAUTHORISED', 'auth error: API key not found'],
    ['QUERY_TIMEOUT', 'Query timed out'],
    ['INDEXING_ERROR', 'indexing_error'],
    ['BAD_QUERY', 'The `skip` argument must be between 0 and 5000, but is 6000'],
    ['UNKNOWN', 'something new'],
  ])('is %s when its error is "%s"', async (kind, message) => {
    const server = await serve(says(message));
    const error = await failure<SubgraphError>(clientOf([server.url]).meta());
    expect(error).toMatchObject({ name: 'SubgraphError', kind, upstream: 'SUBGRAPH' });
    expect(error.faults[0].upstreamMessage).toBe(message);
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [
      'OVERLOADED',
      'service is overloaded and can not run the query right now. Please try again in a few minutes',
    ],
    ['NO_INDEXER', 'bad indexers: {0x1: Timeout, 0x2: BadResponse(no)}'],
    ['NO_INDEXER', 'no indexers found'],
    ['REORGANISED', 'the chain was reorganized while executing the query'],
  ])('is requested a few more times while it is %s ("%s")', async (kind, message) => {
    const server = await serve(says(message));
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({ kind });
    expect(server.received).toHaveLength(3);
  });

  it.each([
    [502, 'UNREACHABLE', 3],
    [503, 'UNREACHABLE', 3],
    [504, 'UNREACHABLE', 3],
    [500, 'UNKNOWN', 1],
  ])('with status %i and an unknown error is %s, and is requested %i times', async (status, kind, times) => {
    const message = 'upstream connect error';
    const server = await serve((_, response) => reply(response, status, { errors: [{ message }] }));
    const error = await failure<SubgraphError>(clientOf([server.url]).meta());
    expect([error.kind, error.faults[0].upstreamMessage]).toEqual([kind, message]);
    expect(server.received).toHaveLength(times);
  });

  it('keeps the meaning of a known error whatever its status', async () => {
    const errors = [{ message: 'Query timed out' }];
    const server = await serve((_, response) => reply(response, 504, { errors }));
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({
      kind: 'QUERY_TIMEOUT',
    });
  });

  it.each([
    ['QUERY_TIMEOUT', 'Query timed out', 1],
    ['BAD_QUERY', 'The `skip` argument must be between 0 and 5000, but is 6000', 0],
  ])('with %s (%s) causes requests to the next endpoint: %i', async (_kind, message, times) => {
    const [first, second] = [
      await serve(says(message)),
      await serve((one, response) => answer(one, response)),
    ];
    await clientOf([first.url, second.url])
      .meta()
      .catch(() => {});
    expect([first.received.length, second.received.length]).toEqual([1, times]);
  });

  it.each([
    [
      'its data is malformed',
      (_: Received, response: ServerResponse) => reply(response, 200, { data: { _meta: null } }),
    ],
    [
      'it does not return GraphQL',
      (_: Received, response: ServerResponse) => response.writeHead(200).end('<html>'),
    ],
  ])('is a bad response when %s', async (_what, handle) => {
    const server = await serve(handle);
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({
      kind: 'BAD_ANSWER',
      code: 'UPSTREAM_BAD_RESPONSE',
    });
  });

  it.each([
    ['wrong address', 404, 'status 404: no such page'],
    ['missing key', 401, 'status 401: no such page'],
    ['web page instead of a response', 200, expect.stringContaining('not valid JSON')],
  ])('has one line in the log for a %s, and one when it works again', async (_what, status, why) => {
    let mended = false;
    const server = await serve((request, response) =>
      mended ? answer(request, response) : response.writeHead(status).end('no such page'),
    );
    const { log: captured, lines } = capturedLog();
    const client = clientOf([server.url], { log: captured });
    for (let n = 0; n < 3; n++) await failure(client.meta());
    mended = true;
    await client.meta();
    const shown = lines().filter(({ level }) => (level as number) >= 30);
    expect(shown).toMatchObject([
      {
        level: 40,
        host: new URL(server.url).host,
        msg: 'SUBGRAPH_URL: no GraphQL answer',
        err: { message: why },
      },
      { level: 30, msg: 'it works again' },
    ]);
  });

  it('has the error of the endpoint that responds, not of one that cannot be reached', async () => {
    const [slow, gone] = [
      await serve(says('Query timed out')),
      await serve((_, response) => response.writeHead(404).end()),
    ];
    const client = clientOf([await closedPort(), slow.url]);
    expect(await failure<SubgraphError>(client.meta())).toMatchObject({ kind: 'QUERY_TIMEOUT' });
    expect(await failure<SubgraphError>(clientOf([gone.url]).meta())).toMatchObject({ kind: 'NOT_DEPLOYED' });
  });

  it.each([
    [400, 'QUERY_TIMEOUT'],
    [401, 'UNAUTHORISED'],
    [403, 'UNAUTHORISED'],
  ])('with the error of a slow query and status %i is %s', async (status, kind) => {
    const server = await serve((_request, response) =>
      reply(response, status, { errors: [{ message: 'Query timed out' }] }),
    );
    expect(await failure<SubgraphError>(clientOf([server.url]).meta())).toMatchObject({ kind });
  });

  it('does not open the breaker with errors of GraphQL', async () => {
    const server = await serve(says('Query timed out'));
    const client = clientOf([server.url]);
    for (let n = 0; n < 6; n++) expect(await failure(client.meta())).toMatchObject({ kind: 'QUERY_TIMEOUT' });
    expect(server.received).toHaveLength(6);
  });

  it.each([
    [429, 'RATE_LIMITED'],
    [500, 'UPSTREAM_UNAVAILABLE'],
  ])('is requested again after the Retry-After of a %i, if that is short', async (status, code) => {
    const busy = (seconds: number) =>
      serve((request, response, nth) =>
        nth === 0
          ? response.writeHead(status, { 'retry-after': String(seconds) }).end()
          : answer(request, response),
      );
    const begun = performance.now();
    expect(await clientOf([(await busy(1)).url]).meta()).toMatchObject({ block: { number: 7 } });
    expect(performance.now() - begun).toBeGreaterThan(990);
    expect(await failure(clientOf([(await busy(3)).url]).meta())).toMatchObject({
      code,
      retryAfterMs: 3_000,
    });
  });

  it('is requested again while it has not indexed the block yet', async () => {
    const server = await serve((request, response, nth) =>
      nth === 0
        ? says(
            'Failed to decode `block.number` value: `subgraph Qm has only indexed up to block number 6 and data for block number 7 is therefore not yet available`',
          )(request, response)
        : answer(request, response),
    );
    expect(await clientOf([server.url]).meta({ block: { number: 7 } })).toMatchObject({
      block: { number: 7 },
    });
    expect(server.received).toHaveLength(2);
  });

  it.each([
    ['has only indexed up to block number 6', 3, 'service is overloaded'],
    ['service is overloaded', 1, 'Query timed out'],
  ])(
    'that says "%s" %i times is requested again, although the next one says "%s"',
    async (said, times, other) => {
      const first = await serve((request, response, nth) =>
        nth < times ? says(said)(request, response) : answer(request, response),
      );
      const second = await serve(says(other));
      expect(await clientOf([first.url, second.url]).meta()).toMatchObject({ block: { number: 7 } });
    },
  );

  it.each([
    ['does not know the block', 'no block with that hash found'],
    ['gave the query up', 'Query timed out'],
  ])('is requested again after a lost request, but not the other endpoint, which %s', async (_what, said) => {
    const first = await serve((request, response, nth) =>
      nth === 0 ? response.destroy() : answer(request, response),
    );
    const second = await serve(says(said));
    expect(await clientOf([first.url, second.url]).meta()).toMatchObject({ block: { number: 7 } });
    expect([first.received.length, second.received.length]).toEqual([2, 1]);
  });

  it.each([
    ['OVERLOADED', 'Query timed out', 'service is overloaded'],
    ['BLOCK_NOT_YET', 'service is overloaded', 'has only indexed up to block number 6'],
  ])('is %s when its endpoints say "%s" and "%s"', async (kind, said, other) => {
    const urls = [(await serve(says(said))).url, (await serve(says(other))).url];
    const client = clientOf(urls, { blockWaitMs: 0 });
    expect(await failure<SubgraphError>(client.meta())).toMatchObject({ kind });
  });

  it('is requested again after a lost request, although the breaker of another endpoint is open', async () => {
    const lost = 5;
    const server = await serve((request, response, nth) =>
      nth === lost ? response.destroy() : answer(request, response),
    );
    const client = clientOf([await closedPort(), server.url]);
    for (let n = 0; n < lost; n++) await client.meta();
    expect(await client.meta()).toMatchObject({ block: { number: 7 } });
  });

  it('is not requested again for a missing block after the configured wait', async () => {
    const server = await serve(says('bad indexers: {0x1: Unavailable(missing block: 9, latest: 6)}'));
    const error = await failure<SubgraphError>(
      clientOf([server.url], { blockWaitMs: 0 }).meta({ block: { number: 9 } }),
    );
    expect(error).toMatchObject({ kind: 'BLOCK_NOT_YET' });
  });

  it('still returns the data beside an indexing error', async () => {
    const block = { number: 3, hash: null, timestamp: null };
    const server = await serve((_, response) =>
      reply(response, 200, {
        data: { _meta: { block, hasIndexingErrors: true } },
        errors: [{ message: 'indexing_error' }],
      }),
    );
    expect(await clientOf([server.url]).meta()).toEqual({ block: { number: 3 } });
  });

  it('returns the data that it withholds beside _meta from a second request at the same block', async () => {
    const errors = [{ message: 'indexing_error' }];
    const _meta = { block: { number: 7, hash: '0xab', timestamp: 1_700_000_000 }, hasIndexingErrors: true };
    const server = await serve((request, response) =>
      /_meta\(block: ?\$block\)/.test(request.json<Operation>().query)
        ? reply(response, 200, { data: { _meta }, errors })
        : answer(request, response, { block: 8, errors }),
    );
    const client = clientOf([server.url]);
    const { rows, block } = await client.byIds('srrs', ['0xa1', '0xa2']);
    expect([...rows.keys()]).toEqual(['0xa1', '0xa2']);
    expect(block).toEqual(_meta.block);
    expect(variablesOf(server.received[1]).block).toEqual({ hash: '0xab' });
    expect((await client.provenancesOf(['0xa1'], { first: 1 })).bySrr.get('0xa1')).toHaveLength(1);
  });

  it('is classified by its errors even if it returns part of the data', async () => {
    const data = { _meta: { block: { number: 3 }, hasIndexingErrors: false }, list0: null };
    const server = await serve((_, response) =>
      reply(response, 200, { data, errors: [{ message: 'Query timed out' }] }),
    );
    const error = await failure<SubgraphError>(clientOf([server.url]).byIds('srrs', ['0xa1']));
    expect(error).toMatchObject({ kind: 'QUERY_TIMEOUT' });
  });

  it('has no errors when `errors` is null', async () => {
    const server = await serve((_, response) =>
      reply(response, 200, {
        data: { _meta: { block: { number: 3 }, hasIndexingErrors: false }, list0: [{ id: '0xa1' }] },
        errors: null,
        extensions: null,
      }),
    );
    const client = clientOf([server.url]);
    expect(await client.meta()).toEqual({ block: { number: 3 } });
    expect((await client.byIds('srrs', ['0xa1'])).rows.size).toBe(1);
  });

  it.each([
    ['is down', async () => closedPort()],
    ['is overloaded', async () => (await serve(says('service is overloaded'))).url],
    ['answers 503', async () => (await serve((_, response) => reply(response, 503, {}))).url],
    ['answers 429', async () => (await serve((_, response) => reply(response, 429, {}))).url],
    ['lost its deployment', async () => (await serve(says('deployment `Qm` does not exist'))).url],
    ['is silent', async () => (await serve(() => {})).url],
  ])('is replaced by the next endpoint when it %s', async (_what, first) => {
    const second = await serve((request, response) => answer(request, response));
    const client = clientOf([await first(), second.url], { timeoutMs: 200 });
    expect(await client.meta()).toMatchObject({ block: { number: 7 } });
    expect(second.received).toHaveLength(1);
  });

  it('is not requested any more when the caller aborts', async () => {
    const server = await serve(() => {});
    const signal = AbortSignal.timeout(50);
    expect(await failure<SubgraphError>(clientOf([server.url]).meta({ signal }))).toBe(signal.reason);
    const waiting = await serve(says('service is overloaded'));
    const later = AbortSignal.timeout(50);
    expect(await failure<SubgraphError>(clientOf([waiting.url]).meta({ signal: later }))).toBe(later.reason);
  });
});

it('a trial call to an endpoint that hangs delays no other caller', async () => {
  const hanging = await serve((_request, response, nth) => nth < 5 && response.destroy());
  const server = await serve((request, response) => answer(request, response));
  const client = clientOf([hanging.url, server.url], { timeoutMs: 60_000 });
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 5; n++) await client.meta();
  vi.advanceTimersByTime(5_000);
  const leaving = new AbortController();
  const trial = client.meta({ signal: leaving.signal }).catch((error) => error);
  await expect.poll(() => hanging.received.length).toBe(6);
  for (let n = 0; n < 5; n++) expect((await client.meta()).block.number).toBe(7);
  leaving.abort(new Error('left'));
  expect(await trial).toMatchObject({ message: 'left' });
  expect(hanging.received).toHaveLength(6);
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

it('after a switch to a subgraph with other record ids, those ids are used within ten minutes', async () => {
  const token = { contract: address(9), collection: null, tokenId: '1' };
  let id = token.tokenId;
  const server = await serve((request, response) => {
    const { where0 } = request.json<Operation>().variables as { where0: { id_in?: string[] } };
    const rows = [srr(id)].filter((row) => where0.id_in?.includes(row.id) ?? true);
    reply(response, 200, {
      data: { list0: rows, _meta: { block: { number: 7, hash: '0xab' }, hasIndexingErrors: false } },
    });
  });
  const client = clientOf([server.url]);
  const read = async () => (await client.srrsByTokens([token])).srrs.map((row) => row?.id);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await read()).toEqual(['1']);
  // The first request finds out which ids the subgraph uses; the others use those ids, at the same block.
  const [first, ...others] = server.received.map((request) => variablesOf(request).block);
  expect([first, others.length]).toEqual([undefined, 2]);
  for (const block of others) expect(block).toEqual(expect.any(Object));
  id = srrId(token.contract, token.tokenId);
  vi.advanceTimersByTime(11 * 60_000);
  expect(await read()).toEqual([id]);
  id = token.tokenId;
  vi.advanceTimersByTime(11 * 60_000);
  expect(await read()).toEqual(['1']);
});

it('a record whose id is its bare token id is found only in its own contract', async () => {
  const collection = `0x${'aB'.repeat(20)}`;
  const row = { ...srr('1'), collection: { id: collection.toLowerCase() } };
  const server = await serve((request, response) => {
    const { where0 } = request.json<Operation>().variables as { where0: { id_in?: string[] } };
    const rows = where0.id_in?.includes(row.id) === false ? [] : [row];
    reply(response, 200, {
      data: { list0: rows, _meta: { block: { number: 7, hash: '0xab' }, hasIndexingErrors: false } },
    });
  });
  const tokens = [null, collection, address(8)].map((collection) => ({
    contract: collection ?? address(9),
    collection,
    tokenId: '1',
  }));
  const { srrs } = await clientOf([server.url]).srrsByTokens(tokens, {}, 'tokenId');
  expect(srrs.map((found) => found?.id)).toEqual([undefined, '1', undefined]);
  expect(server.received.at(-1)?.json<Operation>().query).toContain('{id collection{id}tokenId}');
});

it('a token that the subgraph does not have costs one request once its ids are known', async () => {
  const known = srrId(address(9), '1');
  const server = await serve((request, response) => answer(request, response, { known: RegExp(known) }));
  const client = clientOf([server.url]);
  const read = async (tokenId: string) =>
    (await client.srrsByTokens([{ contract: address(9), collection: null, tokenId }])).srrs;
  expect(await read('1')).toMatchObject([{ id: known }]);
  expect(await read('2')).toEqual([undefined]);
  expect(server.received).toHaveLength(2);
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
