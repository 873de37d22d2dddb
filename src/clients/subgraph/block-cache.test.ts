import { createLogger } from '@srr-gateway/common/log';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failure } from '../../../test/_util/failure.ts';
import { reply, serve } from '../../../test/_util/http-server.ts';
import { createSubgraph, type Subgraph } from './subgraph.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const hashOf = (name: string) => `0x${Buffer.from(name).toString('hex').padStart(64, '0')}`;

interface Index {
  /** The newest block: its height and what its hash is made of. */
  tip: { number: number; name: string };
  down: boolean;
  /** How often records were asked for, the watch of the head left out. */
  asked: number;
  subgraph: Subgraph;
}

/** An index with one record, whose id tells the block it was read at. */
async function indexAt(number: number): Promise<Index> {
  const index = { tip: { number, name: 'a' }, down: false, asked: 0 } as Index;
  const server = await serve((request, response) => {
    if (index.down) return response.destroy();
    const { query, variables } = request.json<{ query: string; variables: { block?: { hash: string } } }>();
    const at = variables.block?.hash ?? hashOf(index.tip.name);
    const block = { number: index.tip.number, hash: at, timestamp: null };
    const isMeta = query.startsWith('query Meta');
    if (!isMeta) index.asked++;
    reply(response, 200, {
      data: {
        _meta: { block, hasIndexingErrors: false },
        ...(!isMeta && { srrs: [{ id: at }] }),
        // Each of many lists has its own length for its one row.
        ...Object.fromEntries(
          [...query.matchAll(/(list\d+): srrs/g)].map(([, name], i) => [
            name,
            [{ id: `${at} of ${(variables as Record<string, unknown>)[`first${i}`]}` }],
          ]),
        ),
      },
    });
  });
  index.subgraph = createSubgraph({ endpoints: [server.url], log, cache: true });
  onTestFinished(() => index.subgraph.close());
  return index;
}

const read = async ({ subgraph }: Index, at = {}) => (await subgraph.srrs({ first: 1 }, at)).srrs[0]?.id;

describe('an answer of the index', () => {
  it('is kept as long as the block does not move, and for its question only', async () => {
    const index = await indexAt(7);
    expect([await read(index), await read(index), await read(index)]).toEqual(Array(3).fill(hashOf('a')));
    expect(index.asked).toBe(1);
    await index.subgraph.srrs({ first: 2 });
    expect(index.asked).toBe(2);
  });

  it('is kept for each of many lists, and only the others are asked for at the same block', async () => {
    const index = await indexAt(7);
    const read = async (firsts: number[], at = {}) =>
      (
        await index.subgraph.srrLists(
          firsts.map((first) => ({ first })),
          at,
        )
      ).lists.map(([row]) => row?.id);
    const rows = (firsts: number[]) => firsts.map((first) => `${hashOf('a')} of ${first}`);
    expect(await read([1, 2])).toEqual(rows([1, 2]));
    expect(await read([2, 1])).toEqual(rows([2, 1]));
    expect(await read([2])).toEqual(rows([2]));
    expect(index.asked).toBe(1);
    const block = { number: 7, hash: hashOf('a') };
    index.tip = { number: 8, name: 'b' };
    expect(await read([3, 1], { block })).toEqual(rows([3, 1]));
    expect(await read([1, 3, 2], { block })).toEqual(rows([1, 3, 2]));
    expect(index.asked).toBe(2);
  });

  it.each([
    ['the chain goes on', { number: 8, name: 'b' }],
    ['another block takes the place of the last', { number: 7, name: 'c' }],
    ['a reorganisation makes the chain shorter', { number: 6, name: 'd' }],
  ])('is asked for anew when %s', async (_, tip) => {
    const index = await indexAt(7);
    await read(index);
    index.tip = tip;
    await expect.poll(() => read(index), { timeout: 5_000 }).toBe(hashOf(tip.name));
    expect(index.asked).toBe(2);
  });

  it('is asked for anew when the newest is wanted, and when the head is in doubt', async () => {
    const index = await indexAt(7);
    await read(index);
    index.tip = { number: 8, name: 'b' };
    expect(await read(index, { newest: true })).toBe(hashOf('b'));
    index.tip = { number: 9, name: 'c' };
    index.subgraph.doubtHead();
    expect(await read(index)).toBe(hashOf('c'));
  });

  it('of an earlier block stays true for who walks there', async () => {
    const index = await indexAt(7);
    const { block } = await index.subgraph.srrs({ first: 1 });
    index.tip = { number: 8, name: 'b' };
    index.subgraph.doubtHead();
    await read(index);
    expect([await read(index, { block }), await read(index, { block })]).toEqual([hashOf('a'), hashOf('a')]);
    // The two newest states, and once more what went when the second came.
    expect(index.asked).toBe(3);
  });

  it('is not given for new when the index does not answer any more', async () => {
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
      .toMatch(/The subgraph (cannot be reached|has been failing)/);
  });
});

describe('a moment of the index', () => {
  it('is its block, and while that is in doubt never the same as before the doubt', async () => {
    const { subgraph, ...index } = await indexAt(7);
    const first = subgraph.moment();
    await read({ subgraph, ...index });
    expect(subgraph.moment()).toBe(hashOf('a'));
    const moments = [first];
    for (let i = 0; i < 2; i++) {
      subgraph.doubtHead();
      moments.push(subgraph.moment());
    }
    expect(new Set([...moments, hashOf('a')]).size).toBe(4);
  });
});
