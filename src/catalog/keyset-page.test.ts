import { expect, it } from 'vitest';
import { keysetPage, type PageArgs, type PageColumns } from './keyset-page.ts';
import type { List, ListReader, ListWindow } from './list-reader.ts';

const order = { field: 'createdAt', direction: 'asc', valueOf: () => '1' } as const;
const edgesOnly = { select: 'tokenId', cursors: false, pageInfo: false, edges: true };

/** The arguments with which the subgraph is asked for a page. */
async function windowOf(first: number, columns?: PageColumns): Promise<ListWindow | undefined> {
  let asked: ListWindow | undefined;
  const read: ListReader<{ id: string }> = async (window) => {
    asked = window;
    return { rows: [], block: { number: 7 } };
  };
  await keysetPage({ name: 'srrs', read }, { first }, order, {}, columns);
  return asked;
}

it.each<[string, number, PageColumns | undefined, Partial<ListWindow>]>([
  ['all columns and one row more, which shows whether there is a next page', 2, undefined, { first: 3 }],
  ['no row more if nobody asks for the next page', 2, edgesOnly, { first: 2, select: 'tokenId' }],
  ['one row for an empty page, because graph-node refuses to read none', 0, edgesOnly, { first: 1 }],
  ['the key of each row for cursors', 2, { ...edgesOnly, cursors: true }, { select: 'id createdAt tokenId' }],
  [
    'ids if no column is selected',
    2,
    { ...edgesOnly, select: '', pageInfo: true },
    { first: 3, select: 'id' },
  ],
])('a page reads %s', async (_, first, columns, window) => {
  expect(await windowOf(first, columns)).toMatchObject(window);
});

it.each<[string, PageArgs, number, boolean, boolean]>([
  ['the first page', { first: 1 }, 2, true, false],
  ['the only page', { first: 1 }, 1, false, false],
  ['the last page after a cursor', { first: 1, after: 'cursor' }, 1, false, true],
  ['the last page, backwards', { last: 1 }, 2, false, true],
  ['the first page before a cursor', { last: 1, before: 'cursor' }, 1, true, false],
])('%s says whether there are others', async (_, args, found, hasNextPage, hasPreviousPage) => {
  const rows = ['1', '2'].slice(0, found).map((id) => ({ id }));
  const list: List<{ id: string }> = { name: 'srrs', read: async () => ({ rows, block: { number: 7 } }) };
  const cursor = (await keysetPage(list, { first: 1 }, order, {})).pageInfo.endCursor;
  const at = Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value === 'cursor' ? cursor : value]),
  );
  expect((await keysetPage(list, at, order, {})).pageInfo).toMatchObject({ hasNextPage, hasPreviousPage });
});
