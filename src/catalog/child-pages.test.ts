import { expect, it } from 'vitest';
import type { BlockRef } from '../clients/subgraph/subgraph.ts';
import { BlockPin } from './block-pin.ts';
import { childPages } from './child-pages.ts';

const at = (number: number): BlockRef => ({ number, hash: `0x${`${number}`.padStart(64, '0')}` });

/** Pages of the children 1 to 3 of records `a` and `b`, and the blocks that were asked for. */
function pages() {
  const asked: unknown[] = [];
  const children = ['1', '2', '3'].map((id) => ({ id, time: id }));
  const read = childPages<{ id: string; time: string }>(
    new BlockPin(new AbortController().signal),
    'provenance',
    ({ time }) => time,
    async (ids, { first, after }, { block }) => {
      asked.push(block);
      const rest = children.filter(({ id }) => id > (after?.id ?? '')).slice(0, first);
      const known = ids.filter((id) => ['a', 'b'].includes(id));
      return { block: block ?? at(9), bySrr: new Map(known.map((id) => [id, rest])) };
    },
  );
  return { read, asked };
}

it('a page of children is read at the block of its record, and the next ones at that of their cursor', async () => {
  const { read, asked } = pages();
  const first = await read('a', { first: 1 }, { block: at(5) });
  const after = first.pageInfo.endCursor;
  const next = await read('a', { first: 2, after }, { block: at(7) });
  expect(asked).toEqual([at(5), at(5)]);
  expect([first, next].map(({ edges }) => edges.map(({ node }) => node.id))).toEqual([['1'], ['2', '3']]);
  expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
  expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
});

it('records that were read at different blocks, or are gone, have pages of their own', async () => {
  const { read, asked } = pages();
  const [, , gone] = await Promise.all([
    read('a', { first: 1 }, { block: at(5) }),
    read('b', { first: 1 }, { block: at(6) }),
    read('gone', { first: 1 }, { block: at(6) }),
  ]);
  expect(asked).toEqual([at(5), at(6)]);
  expect(gone).toMatchObject({ edges: [], pageInfo: { hasNextPage: false } });
});

it('children that came with their record are not read again', async () => {
  const { read, asked } = pages();
  const children = ['1', '2'].map((id) => ({ id, time: id }));
  const page = await read('a', { first: 1 }, { block: at(5), children });
  expect(asked).toEqual([]);
  expect(page.pageInfo.hasNextPage).toBe(true);
  await read('a', { first: 2, after: page.pageInfo.endCursor }, { block: at(7) });
  expect(asked).toEqual([at(5)]);
});
