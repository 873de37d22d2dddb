import type { BlockRef, Key, OrderDirection } from '../clients/subgraph/subgraph.ts';
import { afterKey, SubgraphError } from '../clients/subgraph/subgraph.ts';
import { jsonbFault } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';
import { allOf } from './filters.ts';
import { Edge, PageInfo } from './lazy-edge.ts';
import type { ListReader } from './list-reader.ts';

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
}

/** The subgraph returns at most 1,000 rows, and one of them shows whether there is a next page. */
const maxPage = 999;
/** The page size when the caller names none. */
const defaultPage = 20;

/**
 * Reads one page of a list by keyset pagination. A cursor contains its block, so all following pages are read
 * at the block of the first: no row repeats or is missed when new blocks come.
 * @throws GatewayError INVALID_INPUT for arguments or cursors that cannot be used, CURSOR_EXPIRED when the
 * block of the cursor is gone.
 */
export async function keysetPage<Row extends { id: string }>(
  read: ListReader<Row>,
  args: PageArgs,
  order: Order<Row>,
  filter: object,
  columns?: PageColumns,
): Promise<KeysetPage<Row>> {
  refuseMixed(args);
  const backward = args.last != null || (args.before != null && args.first == null);
  const size = pageSize(backward ? args.last : args.first, backward ? 'last' : 'first');
  const text = backward ? args.before : args.after;
  const place = backward ? 'before' : 'after';
  const from = text == null ? undefined : decodeCursor(text, order, place);
  const direction = backward ? opposite(order.direction) : order.direction;
  const beyond = from ? [afterKey<object>(order.field, from.key, direction)] : [];
  const answer = await read(
    {
      where: allOf([filter, ...beyond]),
      orderBy: order.field,
      direction,
      // One row more than the page shows whether there is a next one.
      first: columns?.pageInfo === false ? Math.max(size, 1) : size + 1,
      select: columns && (columns.cursors ? `id ${order.field} ${columns.select}` : columns.select || 'id'),
    },
    from?.block,
  ).catch(expired(order.field, from, place));
  const { block } = answer;
  const rows = answer.rows.slice(0, size);
  if (backward) rows.reverse();
  const more = answer.rows.length > size;
  const cursorOf = (row: Row) => encodeCursor(order.field, block, { value: order.valueOf(row), id: row.id });
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

/** Refuses forward and backward arguments together, because the page could follow only one pair. */
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

/** The size of a page. `name` is the argument's. @throws GatewayError when it is out of bounds. */
export function pageSize(asked: number | null | undefined, name: string): number {
  const size = asked ?? defaultPage;
  if (size >= 0 && size <= maxPage) return size;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${name} must be from 0 to ${maxPage}, not ${size}.`,
    path: [name],
  });
}

/** A position in a list: after or before the row with this key. */
export interface Place {
  /** The block of the page that the row was on; absent: the newest one. */
  block?: BlockRef;
  key: Key;
}

/**
 * Encodes a cursor: the sort field, the block of the page if all pages shall be at that block, and the key of
 * the row.
 */
export function encodeCursor(field: string, block: BlockRef | undefined, { value, id }: Key): string {
  const parts = [field, block?.number ?? null, block?.hash ?? null, value, id];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Decodes a cursor. `name` is the argument's.
 * @throws GatewayError when it does not belong to a list in this order.
 */
export function decodeCursor(
  text: string,
  { field, text: anyText }: { field: string; text?: boolean },
  name = 'after',
): Place {
  const isValue = anyText ? isText : isDecimal;
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const [found, number, hash, value, id] = parts;
    if (found === field && isHash(hash) && isValue(value) && isText(id)) {
      if (number === null) return { key: { value, id } };
      if (isBlock(number)) return { block: { number, hash: hash ?? undefined }, key: { value, id } };
    }
  } catch {
    // Fall through: other text gets the same error.
  }
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `The cursor in ${name} does not belong to this list in this order. Start again without one.`,
    path: [name],
  });
}

/**
 * Turns the loss of a cursor's block into CURSOR_EXPIRED, with a cursor to continue after. Then rows that
 * were added, changed or removed since the lost block may be missing or repeated.
 */
export function expired(field: string, from: Place | undefined, name: string): (error: unknown) => never {
  return (error) => {
    const gone =
      error instanceof SubgraphError && (error.kind === 'BLOCK_PRUNED' || error.kind === 'BLOCK_UNKNOWN');
    if (!gone || !from?.block) throw error;
    const { upstreamMessage } = error.faults[0];
    throw new GatewayError(
      {
        code: 'CURSOR_EXPIRED',
        message:
          'The subgraph no longer has the block of this cursor: it is too old, or the chain was reorganised. Continue with extensions.continueAfter as the cursor, or start again without one.',
        path: [name],
        continueAfter: encodeCursor(field, undefined, from.key),
        ...(upstreamMessage && { upstreamMessage }),
      },
      { cause: error },
    );
  };
}

// The subgraph takes block numbers of 32 bits.
const isBlock = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
const isHash = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value));
/** Text that the subgraph's database accepts. Other text would make its query fail. */
const isText = (value: unknown): value is string => typeof value === 'string' && !jsonbFault(value);
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^\d{1,78}$/.test(value);
