import { expect, it } from 'vitest';
import { keysetPage, type PageColumns } from './keyset-page.ts';
import type { ListReader, ListWindow } from './list-reader.ts';

const order = { field: 'createdAt', direction: 'asc', valueOf: () => '1' } as const;
const edgesOnly = { select: 'tokenId', cursors: false, pageInfo: false, edges: true };

/** The arguments with which the subgraph is asked for a page. */
async function windowOf(first: number, columns?: PageColumns): Promise<ListWindow | undefined> {
  let asked: ListWindow | undefined;
  const read: ListReader<{ id: string }> = async (window) => {
    asked = window;
    return { rows: [], block: { number: 7 } };
  };
  await keysetPage(read, { first }, order, {}, columns);
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
