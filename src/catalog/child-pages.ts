import DataLoader from 'dataloader';
import type { At, AtBlock, BlockRef, Window } from '../clients/subgraph/subgraph.ts';
import { after, type MaybePromise } from '../lib/maybe-promise.ts';
import { pageSize } from '../model/page-size.ts';
import type { BlockPin } from './block-pin.ts';
import type { KeysetPage } from './keyset-page.ts';
import { Edge, PageInfo } from './lazy-edge.ts';
import { type CursorPosition, decodeCursor, encodeCursor, expired } from './page-cursor.ts';

/**
 * Reads a page of a record's children, such as its provenance, oldest first, at the block of its cursor or of the
 * record. `record` may have the first page already, plus one child, if they came with its row.
 */
export type ChildPages<Child> = (
  srrId: string,
  args: { first?: number | null | undefined; after?: string | null | undefined },
  record?: { block: BlockRef; children?: readonly Child[] | undefined },
) => MaybePromise<KeysetPage<Child>>;

/** Makes the reader of the pages of one kind of children. One request reads the same page of many records. */
export function childPages<Child extends { id: string }>(
  pin: BlockPin,
  name: string,
  sortValue: (child: Child) => string,
  read: (ids: readonly string[], window: Window, at: At) => Promise<AtBlock<{ bySrr: Map<string, Child[]> }>>,
): ChildPages<Child> {
  const list = { name, field: 'child' };
  const loaders = new Map<string, DataLoader<string, { children: Child[]; block: BlockRef }>>();
  const loaderOf = (first: number, from: CursorPosition | undefined, block: BlockRef | undefined) => {
    const key = JSON.stringify([first, from, block]);
    const loader =
      loaders.get(key) ??
      new DataLoader<string, { children: Child[]; block: BlockRef }>(async (ids) => {
        const answer = await pin
          .read((at) => read(ids, { first, after: from?.key }, at), block)
          .catch(expired(list, from, 'after'));
        return ids.map((id) => ({ children: answer.bySrr.get(id) ?? [], block: answer.block }));
      });
    loaders.set(key, loader);
    return loader;
  };
  return (srrId, args, record) => {
    const size = pageSize(args.first, 'first');
    const from = args.after == null ? undefined : decodeCursor(args.after, list);
    const found = record?.children
      ? { children: record.children, block: record.block }
      : loaderOf(size + 1, from, from ? from.block : record?.block).load(srrId);
    return after(found, ({ children, block }) => {
      const cursorOf = (child: Child) => encodeCursor(list, block, { value: sortValue(child), id: child.id });
      const edges = children.slice(0, size).map((child) => new Edge(child, child, cursorOf));
      const pageInfo = new PageInfo(edges, {
        hasNextPage: children.length > size,
        hasPreviousPage: from !== undefined,
      });
      return { edges, pageInfo, block };
    });
  };
}
