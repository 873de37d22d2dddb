import { expect, it } from 'vitest';
import type { BlockRef } from '../clients/subgraph/subgraph.ts';
import { BlockPin } from './block-pin.ts';
import { type ListWindow, listReader } from './list-reader.ts';

const at = (number: number): BlockRef => ({ number, hash: `0x${number}` });
const windowOf = (first: number): ListWindow => ({
  where: {},
  orderBy: 'createdAt',
  direction: 'asc',
  first,
});

it('windows share a request only if their cursors are of the same block', async () => {
  const asked: unknown[] = [];
  const read = listReader(new BlockPin(new AbortController().signal), async (windows, { block }) => {
    asked.push([block, windows.length]);
    return { lists: windows.map(({ first }) => [first]), block: block ?? at(9) };
  });
  const answers = await Promise.all([
    read(windowOf(1), at(5)),
    read(windowOf(2), at(5)),
    read(windowOf(1), at(6)),
  ]);
  expect(asked).toEqual([
    [at(5), 2],
    [at(6), 1],
  ]);
  expect(answers.map(({ rows, block }) => [rows, block])).toEqual([
    [[1], at(5)],
    [[2], at(5)],
    [[1], at(6)],
  ]);
});
