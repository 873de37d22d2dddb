import { afterKey, type BlockRef, type OrderDirection } from '../clients/subgraph/subgraph.ts';
import { GatewayError } from '../model/errors.ts';
import { pageSize } from '../model/page-size.ts';
import { allOf } from './filters.ts';
import { Edge, PageInfo } from './lazy-edge.ts';
import type { List } from './list-reader.ts';
import { decodeCursor, encodeCursor, expired } from './page-cursor.ts';

/** The arguments of a page, as in the Relay cursor specification. */
export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** The sort order of a list. `field` is a field of the entity; rows with equal values are sorted by id. */
export interface Order<Row> {
  field: string;
  direction: OrderDirection;
  /** Whether the values are text; absent: whole numbers. */
  text?: boolean;
  valueOf(row: Row): string;
}

/** One page of a list. */
export interface KeysetPage<Row> {
  edges: Edge<Row>[];
  pageInfo: PageInfo;
  /** The block of all rows of this page, and of the pages that its cursors lead to. */
  block: BlockRef;
}

/** The parts of a page that the operation selects. */
export interface PageColumns {
  /** Columns of each row, as a GraphQL selection. */
  select: string;
  /** Whether cursors are selected. */
  cursors: boolean;
  /** Whether `hasNextPage` or `hasPreviousPage` is selected. */
  pageInfo: boolean;
  /** Whether `edges` is selected. */
  edges: boolean;
}

/**
 * Reads one page of a list by keyset pagination. A cursor contains its block, so all following pages are read
 * at the block of the first: no row repeats or is missed when new blocks come.
 * @throws GatewayError INVALID_INPUT for arguments or cursors that cannot be used, CURSOR_EXPIRED when the
 * block of the cursor is gone.
 */
export async function keysetPage<Row extends { id: string }>(
  { name, read }: List<Row>,
  args: PageArgs,
  order: Order<Row>,
  filter: object,
  columns?: PageColumns,
): Promise<KeysetPage<Row>> {
  refuseMixed(args);
  const { backward, size, text, argument } = wayOf(args);
  const list = { name, field: order.field, text: order.text };
  const from = text == null ? undefined : decodeCursor(text, list, argument);
  const direction = backward ? opposite(order.direction) : order.direction;
  const beyond = from ? [afterKey<object>(order.field, from.key, direction)] : [];
  const answer = await read(
    {
      where: allOf([filter, ...beyond]),
      orderBy: order.field,
      direction,
      // One row more than the page tells whether there is a next page.
      first: columns?.pageInfo === false ? Math.max(size, 1) : size + 1,
      select: columns && (columns.cursors ? `id ${order.field} ${columns.select}` : columns.select || 'id'),
    },
    from?.block,
  ).catch(expired(list, from, argument));
  const { block } = answer;
  const rows = answer.rows.slice(0, size);
  if (backward) rows.reverse();
  const more = answer.rows.length > size;
  const cursorOf = (row: Row) => encodeCursor(list, block, { value: order.valueOf(row), id: row.id });
  const edges = rows.map((row) => new Edge(row, row, cursorOf));
  return {
    edges,
    pageInfo: new PageInfo(edges, {
      hasNextPage: backward ? from !== undefined : more,
      hasPreviousPage: backward ? more : from !== undefined,
    }),
    block,
  };
}

/** The direction, length and start cursor of a page. */
function wayOf({ first, after, last, before }: PageArgs) {
  const backward = last != null || (before != null && first == null);
  return backward
    ? { backward, size: pageSize(last, 'last'), text: before, argument: 'before' as const }
    : { backward, size: pageSize(first, 'first'), text: after, argument: 'after' as const };
}

/** Refuses forward and backward arguments together. */
function refuseMixed({ first, after, last, before }: PageArgs): void {
  const forward = first != null || after != null;
  if (!forward || (last == null && before == null)) return;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: 'first and after cannot be combined with last and before. Use one pair.',
    path: [last != null ? 'last' : 'before'],
  });
}

const opposite = (direction: OrderDirection): OrderDirection => (direction === 'asc' ? 'desc' : 'asc');
