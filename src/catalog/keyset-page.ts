import type { BlockRef, Key, OrderDirection } from '../clients/subgraph/subgraph.ts';
import { afterKey } from '../clients/subgraph/subgraph.ts';
import { jsonbFault } from '../lib/jsonb-safe.ts';
import { GatewayError } from '../model/errors.ts';
import { type Edge, edgeOf, type PageInfo, pageInfoOf } from './edge.ts';
import type { ListReader } from './list-reader.ts';

export interface PageArgs {
  first?: number | null | undefined;
  after?: string | null | undefined;
  last?: number | null | undefined;
  before?: string | null | undefined;
}

/** A list of the index in one order. The field is the entity's own; rows of one value follow their id. */
export interface Order<Row> {
  field: string;
  direction: OrderDirection;
  valueOf(row: Row): string;
}

export interface KeysetPage<Row> {
  edges: Edge<Row>[];
  pageInfo: PageInfo;
  /** The block that every row of the page, and of the pages before and after it, was read at. */
  block: BlockRef;
}

/** The index gives no more than 1,000 rows at once, and one more is asked for to know whether there are more. */
const maxPage = 999;
/** What a list shows when nobody says how many. */
const defaultPage = 20;

/**
 * One page of a list, by key and not by number: as long as the cursors of one walk are used, every page is
 * read at the block of the first, so nothing repeats and nothing is left out while the chain goes on.
 */
export async function keysetPage<Row extends { id: string }>(
  read: ListReader<Row>,
  args: PageArgs,
  order: Order<Row>,
  filter: object,
): Promise<KeysetPage<Row>> {
  refuseMixed(args);
  const backward = args.last != null || (args.before != null && args.first == null);
  const size = pageSize(backward ? args.last : args.first, backward ? 'last' : 'first');
  const text = backward ? args.before : args.after;
  const from = text == null ? undefined : decodeCursor(text, order.field);
  const direction = backward ? opposite(order.direction) : order.direction;
  const beyond = from ? [afterKey<object>(order.field, from.key, direction)] : [];
  const conditions = [filter, ...beyond].filter((one) => Object.keys(one).length > 0);
  const answer = await read(
    {
      where: conditions.length > 1 ? { and: conditions } : (conditions[0] ?? {}),
      orderBy: order.field,
      direction,
      first: size + 1,
    },
    from?.block,
  );
  const { block } = answer;
  const rows = answer.rows.slice(0, size);
  if (backward) rows.reverse();
  const more = answer.rows.length > size;
  const edges = rows.map((node) =>
    edgeOf(node, () => encodeCursor(order.field, block, { value: order.valueOf(node), id: node.id })),
  );
  return {
    edges,
    pageInfo: pageInfoOf(edges, {
      hasNextPage: backward ? from !== undefined : more,
      hasPreviousPage: backward ? more : from !== undefined,
    }),
    block,
  };
}

/** A page goes one way: to answer half of what was asked would be to answer something else. */
function refuseMixed({ first, after, last, before }: PageArgs): void {
  const forward = first != null || after != null;
  if (!forward || (last == null && before == null)) return;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: 'A page goes one way: use first and after, or last and before.',
    path: [last != null ? 'last' : 'before'],
  });
}

const opposite = (direction: OrderDirection): OrderDirection => (direction === 'asc' ? 'desc' : 'asc');

export function pageSize(asked: number | null | undefined, name: string): number {
  const size = asked ?? defaultPage;
  if (size >= 0 && size <= maxPage) return size;
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: `${name} must be from 0 to ${maxPage}, not ${size}.`,
    path: [name],
  });
}

export function encodeCursor(field: string, { number, hash }: BlockRef, key: Key): string {
  return Buffer.from(JSON.stringify([field, number, hash ?? null, key.value, key.id])).toString('base64url');
}

/** @throws GatewayError when the text is no cursor of a list in this order. */
export function decodeCursor(text: string, field: string): { block: BlockRef; key: Key } {
  try {
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const [found, number, hash, value, id] = parts;
    if (found === field && isBlock(number) && isHash(hash) && isDecimal(value) && isId(id))
      return { block: { number, hash: hash ?? undefined }, key: { value, id } };
  } catch {
    // Falls through to the one answer for every text that is no cursor of ours.
  }
  throw new GatewayError({
    code: 'INVALID_INPUT',
    message: 'This cursor does not belong to this list in this order. Start again without one.',
    path: ['after'],
  });
}

// The index takes a block as a 32-bit number, and every field that lists are sorted by is a whole number.
const isBlock = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
const isHash = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value));
/** What the index could have: of anything else it would say that it failed. */
const isId = (value: unknown): value is string => typeof value === 'string' && !jsonbFault(value);
const isDecimal = (value: unknown): value is string => typeof value === 'string' && /^\d{1,78}$/.test(value);
