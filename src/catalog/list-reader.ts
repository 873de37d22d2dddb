import DataLoader from 'dataloader';
import type { At, AtBlock, BlockRef, OrderDirection } from '../clients/subgraph/subgraph.ts';
import type { BlockPin } from './block-pin.ts';

/** A window of a list, as arguments of the subgraph. */
export interface ListWindow {
  where: object;
  orderBy: string;
  direction: OrderDirection;
  first: number;
  /** The columns to ask for; absent: all. */
  select?: string | undefined;
}

/** Reads one window of a list, at the block of its cursor if it has one. */
export type ListReader<Row> = (window: ListWindow, block?: BlockRef) => Promise<AtBlock<{ rows: Row[] }>>;

/** A list of the subgraph. */
export interface List<Row> {
  name: string;
  read: ListReader<Row>;
}

/**
 * Makes a list reader. Windows that are read in the same tick, such as those of many parents, share a
 * request.
 */
export function listReader<Row>(
  pin: BlockPin,
  read: (windows: readonly ListWindow[], at: At) => Promise<AtBlock<{ lists: Row[][] }>>,
): ListReader<Row> {
  const loaders = new Map<string, DataLoader<ListWindow, AtBlock<{ rows: Row[] }>, string>>();
  const loaderOf = (block: BlockRef | undefined) => {
    const name = JSON.stringify([block]);
    const loader =
      loaders.get(name) ??
      new DataLoader<ListWindow, AtBlock<{ rows: Row[] }>, string>(
        async (windows) => {
          const { lists, ...seen } = await pin.read((at) => read(windows, at), block);
          return lists.map((rows) => ({ ...seen, rows }));
        },
        { cacheKeyFn: (window) => JSON.stringify(window) },
      );
    loaders.set(name, loader);
    return loader;
  };
  return (window, block) => loaderOf(block).load(window);
}
