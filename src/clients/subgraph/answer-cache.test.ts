import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { reply, serve } from '../../../test/_util/http-server.ts';
import { AnswerCache } from './answer-cache.ts';
import { Head } from './head.ts';
import { metaQuery } from './query.ts';
import { createSubgraph, type Subgraph } from './subgraph.ts';

/** The body of the response to every query. */
const answerBody = Buffer.from('{"data":{}}');
const log = createLogger({ level: 'silent', name: 'test' });
const hashOf = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;

interface Index {
  /** The newest block: its number, and the name from which its hash is made. */
  tip: { number: number; name: string };
  /** Whether it knows only the newest block. */
  forgets: boolean;
  down: boolean;
  /** The error with which it answers queries for records. */
  fault?: string;
  /** The number of queries for records, without those of the watch of the head. */
  queries: number;
  subgraph: Subgraph;
}

/** A subgraph with one record, whose id depends on the block at which it is read. */
async function indexAt(number: number): Promise<Index> {
  const index = { tip: { number, name: 'a' }, down: false, queries: 0 } as Index;
  const server = await serve((request, response) => {
    if (index.down) return response.destroy();
    const { query, variables } = request.json<{
      query: string;
      variables: { block?: { hash?: string; number?: number } };
    }>();
    const { hash, number } = variables.block ?? {};
    const at = hash ?? hashOf(number === undefined ? index.tip.name : String(number));
    const block = { number: index.tip.number, hash: at, timestamp: null };
    const isMeta = query.startsWith('query Meta');
    if (!isMeta) index.queries++;
    if (!isMeta && index.fault) return reply(response, 200, { errors: [{ message: index.fault }] });
    if (index.forgets && at !== hashOf(index.tip.name))
      return reply(response, 200, { errors: [{ message: 'no block with that hash found' }] });
    reply(response, 200, {
      data: {
        _meta: { block, hasIndexingErrors: false },
        // The token id of the only row of each list is the `first` of that list.
        ...Object.fromEntries(
          [...query.matchAll(/(list\d+):srrs/g)].map(([, name], i) => [
            name,
            [{ id: at, tokenId: String((variables as Record<string, unknown>)[`first${i}`]) }],
          ]),
        ),
      },
    });
  });
  index.subgraph = createSubgraph({ endpoints: [server.url], log, cache: true });
  onTestFinished(() => index.subgraph.close());
  return index;
}

const read = async ({ subgraph }: Index, at = {}) =>
  (await subgraph.lists('srrs', [{ first: 1 }], at)).lists[0]?.[0]?.id;

describe('a response of the subgraph', () => {
  it('is cached for its query until the next block', async () => {
    const index = await indexAt(7);
    expect([await read(index), await read(index), await read(index)]).toEqual(Array(3).fill(hashOf('a')));
    await read(index, { block: { number: 7, hash: hashOf('a') } });
    expect(index.queries).toBe(1);
    await index.subgraph.lists('srrs', [{ first: 2 }]);
    expect(index.queries).toBe(2);
  });

  it('belongs to its own query and block when several are requested at the same time', async () => {
    const index = await indexAt(7);
    const tokenId = async (first: number) =>
      (await index.subgraph.lists('srrs', [{ first }])).lists[0]?.[0]?.tokenId;
    expect(await Promise.all([tokenId(1), tokenId(2)])).toEqual(['1', '2']);
    const at = (number: number) => read(index, { block: { number } });
    expect(await Promise.all([at(3), at(4)])).toEqual([hashOf('3'), hashOf('4')]);
  });

  it('reaches the remaining callers when the first caller disconnects', async () => {
    const index = await indexAt(7);
    const leaving = new AbortController();
    const left = failure(read(index, { signal: leaving.signal }));
    const stayed = read(index, { signal: new AbortController().signal });
    leaving.abort(new Error('left'));
    expect(await left).toMatchObject({ message: 'left' });
    expect(await stayed).toBe(hashOf('a'));
  });

  it('is not reused for other columns', async () => {
    const index = await indexAt(7);
    await index.subgraph.lists('srrs', [{ first: 1, select: 'id' }]);
    await index.subgraph.lists('srrs', [{ first: 1, select: 'id tokenId' }]);
    await index.subgraph.lists('srrs', [{ first: 1, select: 'id' }]);
    expect(index.queries).toBe(2);
  });

  it('is requested once for all callers that want it at the same time', async () => {
    const index = await indexAt(7);
    const block = { number: 7, hash: hashOf('a') };
    await Promise.all([read(index), read(index), read(index, { block }), read(index, { block })]);
    expect(index.queries).toBe(2);
  });

  it.each([
    ['the next block arrives', { number: 8, name: 'b' }],
    ['another block replaces the newest', { number: 7, name: 'c' }],
    ['a reorganisation makes the chain shorter', { number: 6, name: 'd' }],
  ])('is requested again when %s', async (_, tip) => {
    const index = await indexAt(7);
    await read(index);
    index.tip = tip;
    await expect.poll(() => read(index), { timeout: 5_000 }).toBe(hashOf(tip.name));
    expect(index.queries).toBe(2);
  });

  it('is not reused once the subgraph does not know its block any more', async () => {
    const index = await indexAt(7);
    const { block } = await index.subgraph.lists('srrs', [{ first: 1 }]);
    Object.assign(index, { tip: { number: 7, name: 'b' }, forgets: true });
    await failure(index.subgraph.lists('srrs', [{ first: 2 }], { block }));
    expect(await read(index)).toBe(hashOf('b'));
    // A failure at an older block does not invalidate the newest one.
    await failure(index.subgraph.lists('srrs', [{ first: 2 }], { block }));
    expect(index.subgraph.head()).toMatchObject({ hash: hashOf('b') });
  });

  it('is reused although another query at its block fails', async () => {
    const index = await indexAt(7);
    await read(index);
    index.fault = 'a fault of tomorrow';
    const at = { block: { number: 7, hash: hashOf('a') } };
    await expect(index.subgraph.lists('srrs', [{ first: 2 }], at)).rejects.toThrow('The subgraph failed');
    expect(index.subgraph.head()?.hash).toBe(hashOf('a'));
    expect(await read(index)).toBe(hashOf('a'));
  });

  it('is requested again for a read of the newest block, and after the head was invalidated', async () => {
    const index = await indexAt(7);
    await read(index);
    index.tip = { number: 8, name: 'b' };
    expect(await read(index, { newest: true })).toBe(hashOf('b'));
    index.tip = { number: 9, name: 'c' };
    index.subgraph.invalidateHead();
    expect(await read(index)).toBe(hashOf('c'));
  });

  it('of an earlier block stays valid for reads at that block', async () => {
    const index = await indexAt(7);
    const { block } = await index.subgraph.lists('srrs', [{ first: 1 }]);
    index.tip = { number: 8, name: 'b' };
    index.subgraph.invalidateHead();
    await read(index);
    expect([await read(index, { block }), await read(index, { block })]).toEqual([hashOf('a'), hashOf('a')]);
    // One query for each newest block, and one for the earlier block, whose response was evicted.
    expect(index.queries).toBe(3);
  });

  it('is not reused when the subgraph stops responding', async () => {
    const index = await indexAt(7);
    await read(index);
    index.down = true;
    await expect
      .poll(
        async () => (await failure(read(index).then(() => Promise.reject(new Error('still known'))))).message,
        {
          timeout: 10_000,
        },
      )
      .toMatch(/The subgraph (cannot be reached|has failed repeatedly)/);
  });
});

describe('the newest block', () => {
  it('is not taken from a read at a given block', async () => {
    const index = await indexAt(8);
    await read(index, { block: { number: 7, hash: hashOf('z') } });
    expect(index.subgraph.head()).toBeUndefined();
  });

  it('stays unknown when a query that began before the invalidation is answered', async () => {
    let block = { number: 7, hash: hashOf('a') };
    const queries: ((answer: unknown) => void)[] = [];
    const head = new Head(async () => block);
    onTestFinished(() => head.close());
    const cache = new AnswerCache(
      head,
      () =>
        new Promise<never>((resolve) => {
          queries.push(resolve as (answer: unknown) => void);
        }),
    );
    const before = cache.runQuery(metaQuery, {});
    head.invalidate();
    queries[0]?.({ block, data: { rows: [] }, body: answerBody });
    await before;
    expect(head.current()).toBeUndefined();

    block = { number: 8, hash: hashOf('b') };
    const later = cache.runQuery(metaQuery, {});
    queries[1]?.({ block, data: { rows: [] }, body: answerBody });
    await later;
    expect(head.current()).toEqual(block);
  });
});

it('a response of an older endpoint that lacks fields is not cached for the other endpoints', async () => {
  const head = new Head(async () => ({ number: 7, hash: hashOf('a') }));
  onTestFinished(() => head.close());
  let queries = 0;
  const cache = new AnswerCache(head, async () => {
    queries++;
    const block = { number: 7, hash: hashOf('a') };
    return { block, data: {} as never, body: answerBody, trimmed: queries === 1 };
  });
  for (let i = 0; i < 3; i++) await cache.runQuery(metaQuery, {});
  expect(queries).toBe(2);
});

it('a response is not cached as that of the newest block when a newer block is already known', async () => {
  const head = new Head(async () => ({ number: 8, hash: hashOf('b') }));
  onTestFinished(() => head.close());
  const block = { number: 7, hash: hashOf('a') };
  let queries = 0;
  const cache = new AnswerCache(head, async () => {
    queries++;
    head.observe({ number: 8, hash: hashOf('b') }, head.generation);
    return { block, data: {} as never, body: answerBody, trimmed: false };
  });
  await cache.runQuery(metaQuery, {});
  // A query at that block, as with a cursor, is not in the cache yet, and is cached from then on.
  for (let i = 0; i < 2; i++) await cache.runQuery(metaQuery, { block });
  expect(queries).toBe(2);
});
